"""Threads that change a tree under the sandbox, again and again, while a test uses it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TRIES = 20_000


@contextmanager
def attacker(*turns: Callable[[], None]) -> Iterator[list[int]]:
    """Call turns in order, for ever, in a thread; yields the count of rounds in a list of one."""
    stop = threading.Event()
    rounds = [0]
    failures: list[BaseException] = []

    def attack() -> None:
        try:
            while not stop.is_set():
                for turn in turns:
                    turn()
                rounds[0] += 1
        except BaseException as exc:
            failures.append(exc)

    thread = threading.Thread(target=attack, daemon=True)
    # Hand over often: the moments between two system calls are what is attacked.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread.start()
    try:
        yield rounds
    finally:
        stop.set()
        thread.join(10)
        sys.setswitchinterval(interval)
    assert not failures, failures
    assert rounds[0] > 100, "the attacker did not get to run"


def replacing(path: str, make: Callable[[str], None]) -> Callable[[], None]:
    """A turn that makes something new and puts it in path's place at once."""
    spare = path + ".new"

    def turn() -> None:
        make(spare)
        os.rename(spare, path)

    return turn


def regular(data: bytes) -> Callable[[str], None]:
    """Make a regular file."""

    def make(path: str) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)

    return make


def descriptors() -> int:
    """How many descriptors this process has open."""
    return len(os.listdir("/proc/self/fd"))
