"""What went wrong with a path, and how a message words it."""

from __future__ import annotations

import errno
import os


class Refusal(OSError):
    """An error with a wording of its own instead of the kernel's."""

    text = "permission denied"
    number = errno.EACCES

    def __init__(self) -> None:
        super().__init__(self.number, self.text)


class NotRegular(Refusal):
    """Neither a regular file nor one of the five devices that may be read; it was not opened."""

    text = "not a regular file"
    number = errno.EINVAL


class LinkRefused(Refusal, PermissionError):
    """A write path has a symbolic link in it."""

    text = "symlinks are not supported as write targets"


class HardLinkRefused(Refusal, PermissionError):
    """The target of a write has other names."""

    text = "hard links are not supported as write targets"


class Changed(Refusal):
    """A name kept being replaced while it was opened."""

    text = "file changed while it was opened"
    number = errno.ESTALE


class WriteLimit(Refusal):
    """The run has written as much as its policy allows."""

    text = "write limit exceeded"
    number = errno.EFBIG


class TooManyEntries(Refusal):
    """A directory has more entries than the caller takes."""

    text = "too many directory entries"
    number = errno.EOVERFLOW


# The usual ones are named here, so that messages are the same on every platform and locale.
_REASONS = {
    errno.EPERM: "operation not permitted",
    errno.ENOENT: "no such file or directory",
    errno.EIO: "input/output error",
    errno.ENXIO: "no such device or address",
    errno.EBADF: "bad file descriptor",
    errno.EAGAIN: "resource temporarily unavailable",
    errno.ENOMEM: "cannot allocate memory",
    errno.EACCES: "permission denied",
    errno.EBUSY: "device or resource busy",
    errno.EEXIST: "file exists",
    errno.ENODEV: "no such device",
    errno.ENOTDIR: "not a directory",
    errno.EISDIR: "is a directory",
    errno.EINVAL: "invalid argument",
    errno.ENFILE: "too many open files in system",
    errno.EMFILE: "too many open files",
    errno.ETXTBSY: "text file busy",
    errno.EFBIG: "file too large",
    errno.ENOSPC: "no space left on device",
    errno.ESPIPE: "illegal seek",
    errno.EROFS: "read-only file system",
    errno.EPIPE: "broken pipe",
    errno.ENAMETOOLONG: "file name too long",
    errno.ENOTEMPTY: "directory not empty",
    errno.ELOOP: "too many levels of symbolic links",
    errno.EOVERFLOW: "value too large for defined data type",
    errno.ESTALE: "stale file handle",
    errno.EDQUOT: "disk quota exceeded",
    errno.EOPNOTSUPP: "operation not supported",
}


def reason(exc: OSError) -> str:
    """GNU's words for an error, in lower case: ``no such file or directory``."""
    if isinstance(exc, Refusal):
        return exc.text
    number = exc.errno
    if number is None:
        return "input/output error"
    return _REASONS.get(number) or os.strerror(number).lower()


def failure(number: int) -> OSError:
    """The OSError of an errno, as its proper subclass."""
    return OSError(number, _REASONS.get(number) or os.strerror(number))
