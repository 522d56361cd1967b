"""What a script may do: the policy that an application hands to a Runner.

A policy grants; what it does not grant is denied. It is checked when it is built, cannot be
changed after, and can only be narrowed.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from rshell import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

PREFIX = "rshell:"
EVERY = "*"
SERVICE_ACTIONS = ("read", "clean", "reload", "restart", "start", "stop", "enable", "disable")

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COMMAND_CHARACTERS = frozenset(_LETTERS + "0123456789_.:[-")
_NAME_CHARACTERS = frozenset(_LETTERS + "0123456789_")
_DIGITS = frozenset("0123456789")


class PolicyError(ValueError):
    """A policy that cannot be: the message says which field and why."""


class Mode(StrEnum):
    """Whether scripts may change anything at all."""

    READ_ONLY = "read-only"
    REMEDIATION = "remediation"


class _Frozen:
    """Values that are set once, compared field by field, and shown readably."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _key(self) -> tuple[object, ...]:
        return tuple(_hashable(getattr(self, name)) for name in self._fields)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def _hashable(value: object) -> object:
    if isinstance(value, MappingProxyType):
        return frozenset(value.items())
    return value


class Root(_Frozen):
    """An allowed directory: an absolute path, and whether files below it may be changed."""

    __slots__ = ("path", "writable")
    _fields = ("path", "writable")
    path: str
    writable: bool

    def __init__(self, path: str, writable: bool = False) -> None:
        if not isinstance(writable, bool):
            raise PolicyError(f"allowed_paths: writable must be True or False, not {writable!r}")
        self._set(path=_absolute("allowed_paths", path), writable=writable)

    @classmethod
    def parse(cls, text: str) -> Root:
        """Read ``/path``, ``/path:ro`` or ``/path:rw``."""
        if not isinstance(text, str):
            raise PolicyError(f"allowed_paths: a path must be a string, not {text!r}")
        if text.endswith(":rw"):
            return cls(text[:-3], True)
        return cls(text.removesuffix(":ro"), False)

    def holds(self, path: str) -> bool:
        """Whether a path is this directory's or below it, by its letters."""
        return self.path == "/" or path == self.path or path.startswith(self.path + "/")

    def __str__(self) -> str:
        return f"{self.path}:{'rw' if self.writable else 'ro'}"

    def __repr__(self) -> str:
        return f"Root({self.path!r}, writable={self.writable})"


class SystemdTarget(_Frozen):
    """The system whose journal is read: its directories, its machine ID and journald's control socket.

    What is left out is not available. These paths do not depend on ``allowed_paths``.
    """

    __slots__ = ("journal_control_socket", "journal_dirs", "machine_id_path")
    _fields = ("journal_dirs", "machine_id_path", "journal_control_socket")
    journal_dirs: tuple[str, ...]
    machine_id_path: str
    journal_control_socket: str | None

    def __init__(
        self,
        journal_dirs: Iterable[str] = (),
        machine_id_path: str | None = None,
        journal_control_socket: str | None = None,
    ) -> None:
        directories = _strings("systemd_target.journal_dirs", journal_dirs)
        if machine_id_path is None:
            raise PolicyError("systemd_target: machine_id_path is required")
        socket = journal_control_socket
        if socket is not None:
            socket = _absolute("systemd_target.journal_control_socket", socket)
        self._set(
            journal_dirs=tuple(_absolute("systemd_target.journal_dirs", path) for path in directories),
            machine_id_path=_absolute("systemd_target.machine_id_path", machine_id_path),
            journal_control_socket=socket,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values that ``SystemdTarget(**values)`` takes."""
        values: dict[str, Any] = {"journal_dirs": list(self.journal_dirs), "machine_id_path": self.machine_id_path}
        if self.journal_control_socket is not None:
            values["journal_control_socket"] = self.journal_control_socket
        return values

    def __repr__(self) -> str:
        return f"SystemdTarget({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

    def __reduce__(self) -> Any:
        return _target, (self.to_dict(),)


class Policy(_Frozen):
    """Everything that a script is granted. ``Policy()`` grants nothing.

    Raises PolicyError for what it cannot take. Service grants that cannot be are skipped instead, and
    ``warnings`` says why.
    """

    _fields = (
        "allowed_commands",
        "allowed_paths",
        "allowed_services",
        "mode",
        "env",
        "max_execution_time",
        "proc_path",
        "host_prefix",
        "max_write_bytes",
        "systemd_target",
    )
    __slots__ = (*_fields, "warnings")

    allowed_commands: tuple[str, ...]
    allowed_paths: tuple[Root, ...]
    allowed_services: Mapping[str, frozenset[str]]
    mode: Mode
    env: Mapping[str, str]
    max_execution_time: float | None
    proc_path: str
    host_prefix: str | None
    max_write_bytes: int
    systemd_target: SystemdTarget | None
    warnings: tuple[str, ...]

    def __init__(
        self,
        *,
        allowed_commands: Iterable[str] = (),
        allowed_paths: Iterable[str | Root] = (),
        allowed_services: Iterable[str] | Mapping[str, Iterable[str]] = (),
        mode: Mode | str = Mode.READ_ONLY,
        env: Mapping[str, str] | None = None,
        max_execution_time: float | None = None,
        proc_path: str = "/proc",
        host_prefix: str | None = None,
        max_write_bytes: int = limits.WRITE_BYTES,
        systemd_target: SystemdTarget | None = None,
    ) -> None:
        if systemd_target is not None and not isinstance(systemd_target, SystemdTarget):
            raise PolicyError(f"systemd_target: must be a SystemdTarget, not {systemd_target!r}")
        warnings: list[str] = []
        self._set(
            allowed_commands=_commands(allowed_commands),
            allowed_paths=_roots(allowed_paths),
            allowed_services=MappingProxyType(_services(allowed_services, warnings)),
            mode=_mode(mode),
            env=MappingProxyType(_env({} if env is None else env)),
            max_execution_time=_seconds(max_execution_time),
            proc_path=_absolute("proc_path", proc_path),
            host_prefix=None if host_prefix is None else _absolute("host_prefix", host_prefix),
            max_write_bytes=_size(max_write_bytes),
            systemd_target=systemd_target,
            warnings=tuple(warnings),
        )

    def allows(self, command: str) -> bool:
        """Whether scripts may run a command, by its bare name."""
        granted = self.allowed_commands
        return PREFIX + EVERY in granted or PREFIX + command in granted

    def allows_service(self, unit: str, action: str) -> bool:
        """Whether an action on a unit is granted. Names are compared exactly; the mode is not looked at."""
        actions = self.allowed_services.get(unit, frozenset())
        return action in SERVICE_ACTIONS and (action in actions or EVERY in actions)

    def narrow(self, other: Policy) -> Policy:
        """The policy that grants only what both grant.

        Raises PolicyError when they speak of different systems: another proc_path, host_prefix or
        systemd_target.
        """
        if not isinstance(other, Policy):
            raise PolicyError(f"narrow: needs a Policy, not {other!r}")
        for name in ("proc_path", "host_prefix", "systemd_target"):
            if getattr(self, name) != getattr(other, name):
                raise PolicyError(f"narrow: {name} differs")
        times = [time for time in (self.max_execution_time, other.max_execution_time) if time is not None]
        remediation = self.mode is other.mode is Mode.REMEDIATION
        return Policy(
            allowed_commands=_common_commands(self.allowed_commands, other.allowed_commands),
            allowed_paths=_common_roots(self.allowed_paths, other.allowed_paths),
            allowed_services=_common_services(self.allowed_services, other.allowed_services),
            mode=Mode.REMEDIATION if remediation else Mode.READ_ONLY,
            env=dict(self.env.items() & other.env.items()),
            max_execution_time=min(times, default=None),
            proc_path=self.proc_path,
            host_prefix=self.host_prefix,
            max_write_bytes=min(self.max_write_bytes, other.max_write_bytes),
            systemd_target=self.systemd_target,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for ``from_dict``, TOML or JSON; what is as in ``Policy()`` is left out."""
        plain: dict[str, Any] = {
            "allowed_commands": list(self.allowed_commands),
            "allowed_paths": [str(root) for root in self.allowed_paths],
            "allowed_services": {unit: sorted(actions) for unit, actions in self.allowed_services.items()},
            "mode": str(self.mode),
            "env": dict(self.env),
            "max_execution_time": self.max_execution_time,
            "proc_path": self.proc_path,
            "host_prefix": self.host_prefix,
            "max_write_bytes": self.max_write_bytes,
            "systemd_target": None if self.systemd_target is None else self.systemd_target.to_dict(),
        }
        return {name: value for name, value in plain.items() if value != _DEFAULTS[name]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Policy:
        """Build a policy from plain values: the keywords of ``Policy``, systemd_target as a mapping."""
        if not _is_mapping(values):
            raise PolicyError(f"a policy must be a mapping, not {values!r}")
        _known("", values, cls._fields)
        given = dict(values)
        if _is_mapping(given.get("systemd_target")):
            given["systemd_target"] = _target(given["systemd_target"])
        return cls(**given)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Policy:
        """Read a policy from a TOML file, with the keys of ``from_dict``; PolicyError names the file."""
        import tomllib

        try:
            with open(path, "rb") as file:
                values = tomllib.load(file)
        except OSError as exc:
            raise PolicyError(f"{path}: {exc.strerror}") from exc
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
            raise PolicyError(f"{path}: not a TOML file: {exc}") from exc
        try:
            return cls.from_dict(values)
        except PolicyError as exc:
            raise PolicyError(f"{path}: {exc}") from exc

    def describe(self) -> str:
        """What a script may do, in plain text for an agent's system prompt."""
        names = [command.removeprefix(PREFIX) for command in self.allowed_commands]
        if EVERY in names:
            commands = "all that this shell has (`help` lists them)"
        else:
            commands = ", ".join(names) or "none"
        remediation = self.mode is Mode.REMEDIATION
        lines = [
            "You have a restricted shell. It runs a subset of bash with its own commands; no other program can be run.",
            f"Mode: {self.mode}" + ("." if remediation else ": files cannot be written, services cannot be changed."),
            f"Commands: {commands}.",
        ]
        writable = [root.path for root in self.allowed_paths if root.writable and remediation]
        readable = [root.path for root in self.allowed_paths if root.path not in writable]
        if readable:
            lines.append(f"Directories you may read: {', '.join(readable)}.")
        if writable:
            lines.append(f"Directories you may read and write: {', '.join(writable)}.")
        if not self.allowed_paths:
            lines.append("Directories: none; no file can be read or written.")
        else:
            lines.append("The most specific directory decides; every path outside them is denied.")
        for unit, actions in self.allowed_services.items():
            granted = [name for name in SERVICE_ACTIONS if name in actions or EVERY in actions]
            if not remediation:
                granted = [name for name in granted if name == "read"]
            if granted:
                lines.append(f"Service {unit}: {', '.join(granted)}.")
        if self.env:
            lines.append(f"Variables set: {', '.join(self.env)}.")
        if self.max_execution_time is not None:
            lines.append(f"A script may run for {self.max_execution_time:g} seconds.")
        lines.append(f"A script may print {limits.STDOUT} bytes.")
        if writable:
            lines.append(f"A script may write {self.max_write_bytes} bytes to files.")
        return "\n".join(_printable(line) for line in lines) + "\n"

    def __repr__(self) -> str:
        shown = self.to_dict()
        if self.systemd_target is not None:
            shown["systemd_target"] = self.systemd_target
        return f"Policy({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def __reduce__(self) -> Any:
        return Policy.from_dict, (self.to_dict(),)


_DEFAULTS: dict[str, Any] = {
    "allowed_commands": [],
    "allowed_paths": [],
    "allowed_services": {},
    "mode": "read-only",
    "env": {},
    "max_execution_time": None,
    "proc_path": "/proc",
    "host_prefix": None,
    "max_write_bytes": limits.WRITE_BYTES,
    "systemd_target": None,
}


# What each field takes


def _is_mapping(value: object) -> bool:
    return hasattr(value, "keys") and hasattr(value, "__getitem__")


def _known(where: str, values: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for key in values:
        if key not in names:
            raise PolicyError(f"{where}unknown key {key!r}; known are {', '.join(names)}")


def _target(values: Mapping[str, Any]) -> SystemdTarget:
    _known("systemd_target: ", values, SystemdTarget._fields)
    return SystemdTarget(**values)


def _strings(field: str, values: object) -> list[str]:
    """A list of strings. One string is not a list of its letters."""
    if isinstance(values, (str, bytes)) or _is_mapping(values) or not hasattr(values, "__iter__"):
        raise PolicyError(f"{field}: must be a list of strings, not {values!r}")
    found = list(values)
    for value in found:
        if not isinstance(value, str):
            raise PolicyError(f"{field}: must hold strings, not {value!r}")
    return found


def _absolute(field: str, path: object) -> str:
    """An absolute path with nothing to collapse in it but what is harmless."""
    if not isinstance(path, str):
        raise PolicyError(f"{field}: a path must be a string, not {path!r}")
    if sys.platform == "win32" and field == "allowed_paths":
        raise PolicyError("allowed_paths: not supported on this platform")
    if not path.startswith("/"):
        raise PolicyError(f"{field}: must be an absolute path: {path!r}")
    if "\0" in path:
        raise PolicyError(f"{field}: NUL in path {path!r}")
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise PolicyError(f"{field}: cannot be encoded: {path!r}") from None
    names = [name for name in path.split("/") if name not in ("", ".")]
    if ".." in names:
        raise PolicyError(f"{field}: must not have '..' in it: {path!r}")
    return "/" + "/".join(names)


def _commands(values: object) -> tuple[str, ...]:
    found = _strings("allowed_commands", values)
    for value in found:
        name = value.removeprefix(PREFIX)
        if name == value or not name or (name != EVERY and not _COMMAND_CHARACTERS.issuperset(name)):
            raise PolicyError(f"allowed_commands: must be rshell:NAME or rshell:*, not {value!r}")
    return tuple(sorted(set(found)))


def _roots(values: object) -> tuple[Root, ...]:
    if isinstance(values, (str, bytes, Root)) or _is_mapping(values) or not hasattr(values, "__iter__"):
        raise PolicyError(f"allowed_paths: must be a list of paths, not {values!r}")
    found: dict[str, Root] = {}
    for value in values:
        root = value if isinstance(value, Root) else Root.parse(value)
        if found.setdefault(root.path, root) != root:
            raise PolicyError(f"allowed_paths: {root.path} is both :ro and :rw")
    return tuple(sorted(found.values(), key=lambda root: root.path))


def _mode(value: object) -> Mode:
    for mode in Mode:
        if isinstance(value, str) and mode == value:
            return mode
    raise PolicyError(f"mode: must be 'read-only' or 'remediation', not {value!r}")


def _env(values: object) -> dict[str, str]:
    if not _is_mapping(values):
        raise PolicyError(f"env: must be a mapping of names to strings, not {values!r}")
    found: dict[str, str] = dict(values)  # type: ignore[call-overload]
    size = 0
    for name, value in found.items():
        if not isinstance(name, str) or not name or not _NAME_CHARACTERS.issuperset(name) or name[0] in _DIGITS:
            raise PolicyError(f"env: not a variable name: {name!r}")
        if not isinstance(value, str):
            raise PolicyError(f"env: {name} must be a string, not {value!r}")
        if "\0" in value:
            raise PolicyError(f"env: NUL in {name}")
        try:
            size += len(name) + len(value.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:
            raise PolicyError(f"env: {name} cannot be encoded") from None
    if size > limits.VARIABLES:
        raise PolicyError(f"env: more than {limits.VARIABLES} bytes in all")
    return found


def _seconds(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PolicyError(f"max_execution_time: must be a number of seconds, not {value!r}")
    # The upper bound is what a wait in the kernel takes; it also keeps NaN and infinity out.
    if not 0 < value <= 1e9:
        raise PolicyError(f"max_execution_time: must be above 0 and at most 1e9 seconds, not {value!r}")
    return float(value)


def _size(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise PolicyError(f"max_write_bytes: must be a number of bytes, not {value!r}")
    if value < 0:
        raise PolicyError(f"max_write_bytes: must not be negative: {value!r}")
    return value


# Service grants


def _services(values: object, warnings: list[str]) -> dict[str, frozenset[str]]:
    """Read grants of either form. One that cannot be is skipped with a warning, as a missing root is."""
    pairs: list[tuple[str, list[str]]] = []
    if _is_mapping(values):
        for unit, actions in values.items():  # type: ignore[attr-defined]
            if not isinstance(unit, str):
                raise PolicyError(f"allowed_services: a unit must be a string, not {unit!r}")
            pairs.append((unit, _strings(f"allowed_services: {unit}", actions)))
    else:
        for text in _strings("allowed_services", values):
            # A text without a colon is a unit without actions.
            unit, colon, actions = text.rpartition(":")
            pairs.append((unit, actions.split("+") if actions else []) if colon else (actions, []))
    found: dict[str, frozenset[str]] = {}
    for unit, names in pairs:
        fault = _unit_fault(unit)
        if fault:
            warnings.append(f"AllowedServices: skipping {unit!r}: {fault}")
            continue
        for name in names:
            if name != EVERY and name not in SERVICE_ACTIONS:
                warnings.append(f"AllowedServices: skipping action {name!r} of {unit!r}: unknown action")
        granted = frozenset(name for name in names if name == EVERY or name in SERVICE_ACTIONS)
        if granted:
            found[unit] = found.get(unit, frozenset()) | granted
        elif not names:
            warnings.append(f"AllowedServices: skipping {unit!r}: no actions")
    return found


def _unit_fault(unit: str) -> str:
    """Why a text cannot be a unit's name; empty when it can."""
    if not unit:
        return "empty name"
    if any(character.isspace() or not character.isprintable() for character in unit):
        return "whitespace or control characters in name"
    if ":" in unit:
        return "':' in name"
    if "/" in unit or unit in (".", ".."):
        return "a path is not a name"
    if any(character in "*?[]" for character in unit):
        return "patterns are not supported"
    return ""


# What two policies have in common


def _common_commands(one: tuple[str, ...], other: tuple[str, ...]) -> Iterable[str]:
    if PREFIX + EVERY in one:
        return other
    if PREFIX + EVERY in other:
        return one
    return set(one) & set(other)


def _governing(roots: tuple[Root, ...], path: str) -> Root | None:
    """The most specific root that holds a path."""
    return max((root for root in roots if root.holds(path)), key=lambda root: len(root.path), default=None)


def _common_roots(one: tuple[Root, ...], other: tuple[Root, ...]) -> list[Root]:
    found = []
    for path in sorted({root.path for root in one + other}):
        first, second = _governing(one, path), _governing(other, path)
        if first is not None and second is not None:
            found.append(Root(path, first.writable and second.writable))
    return found


def _common_services(
    one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    found = {}
    for unit in one:
        first, second = one[unit], other.get(unit, frozenset())
        if EVERY in first:
            both = second
        elif EVERY in second:
            both = first
        else:
            both = first & second
        if both:
            found[unit] = both
    return found


def _printable(text: str) -> str:
    """One line of text, whatever names are in it."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
