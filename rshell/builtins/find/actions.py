"""The actions of find: printing, running commands of this shell, steering the walk (find(1), ACTIONS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.command import Failure, encode
from rshell.builtins.find.long import long_line
from rshell.builtins.find.printf import compile_format
from rshell.builtins.quoting import quote_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rshell.builtins.find.plan import Plan, Test
    from rshell.builtins.find.visit import Visit

_BATCH = 128 * limits.KIB - 2_048  # bytes of one command line that -exec ... + gathers
_POINTER = 8  # what an argument costs beside its bytes


def print_path(plan: Plan, option: str) -> Test:
    """-print and -print0."""
    plan.has_action = True
    append = plan.pieces.append
    end = "\0" if option == "-print0" else "\n"

    def test(visit: Visit) -> bool:
        append((visit.start if visit.handle is None else visit.prefix + visit.name) + end)
        return True

    return test


def print_format(plan: Plan, option: str, text: str) -> Test:
    plan.has_action = True
    return compile_format(plan, text)


def print_long(plan: Plan, option: str) -> Test:
    plan.has_action = True
    return long_line(plan)


def prune(plan: Plan, option: str) -> Test:
    def test(visit: Visit) -> bool:
        visit.prune = True
        return True

    return test


def stop(plan: Plan, option: str) -> Test:
    def test(visit: Visit) -> bool:
        visit.stop = True
        return True

    return test


# Running commands


def execute(plan: Plan, option: str, args: list[str], at: int) -> tuple[Test, int]:
    """-exec and -execdir, in both forms; the test, and where the arguments go on."""
    plan.has_action = True
    words: list[str] = []
    batch = False
    while at < len(args):
        word = args[at]
        at += 1
        if word == ";":
            break
        if word == "+" and words and words[-1] == "{}":
            batch = True
            break
        words.append(word)
    else:
        raise Failure(f"missing argument to '{option}'")
    if not words or (batch and len(words) == 1):
        raise Failure(f"invalid argument '{';' if not batch else '+'}' to '{option}'")
    if batch and any("{}" in word for word in words[:-1]):
        raise Failure(f"Only one instance of {{}} is supported with {option} ... +")
    if "{}" not in words[0]:
        _check_allowed(plan, option, words[0])
    runner = _Runner(plan, option)
    return (_batched(runner, words[:-1]) if batch else _single(runner, words)), at


def _check_allowed(plan: Plan, option: str, name: str) -> None:
    known = plan.call.context.lookup(name)
    if known == "denied":
        raise Failure(f"{option}: {quote_text(name)}: command not allowed")
    if known != "builtin":
        raise Failure(f"{option}: {quote_text(name)}: command not found")


class _Runner:
    """Runs commands for one -exec or -execdir."""

    def __init__(self, plan: Plan, option: str) -> None:
        self.plan = plan
        self.option = option
        self.in_directory = option == "-execdir"

    def place(self, visit: Visit) -> tuple[str, str | None]:
        """The path that stands for the file, and the directory to run in (None: the shell's)."""
        if not self.in_directory:
            return visit.path, None
        if visit.handle is not None:
            return "./" + visit.name, self.plan.call.absolute(visit.prefix.rstrip("/") or "/")
        start = visit.start
        bare = start.rstrip("/")
        if not bare:
            return "/", "/"
        head, slash, last = bare.rpartition("/")
        directory = (head or "/") if slash else "."
        return "./" + last + start[len(bare) :], self.plan.call.absolute(directory)

    def run(self, words: list[str], directory: str | None) -> int:
        plan = self.plan
        plan.invocations += 1
        if plan.invocations > limits.INVOCATIONS:
            raise Failure(f"{self.option}: too many commands ({limits.INVOCATIONS} at most)")
        plan.flush()
        plan.call.flush()
        return plan.call.context.dispatch(words, cwd=directory)


def _single(runner: _Runner, words: list[str]) -> Test:
    holes = [at for at, word in enumerate(words) if "{}" in word]

    def test(visit: Visit) -> bool:
        path, directory = runner.place(visit)
        filled = list(words)
        for at in holes:
            filled[at] = words[at].replace("{}", path)
        return runner.run(filled, directory) == 0

    return test


def _batched(runner: _Runner, words: list[str]) -> Test:
    plan = runner.plan
    fixed = sum(len(encode(word)) + 1 + _POINTER for word in words)
    paths: list[str] = []
    size = fixed
    place: str | None = None

    def run() -> None:
        nonlocal size
        if paths:
            filled = words + paths
            paths.clear()
            size = fixed
            if runner.run(filled, place) != 0:
                plan.call.status = max(plan.call.status, 1)

    def test(visit: Visit) -> bool:
        nonlocal size, place
        path, directory = runner.place(visit)
        cost = len(encode(path)) + 1 + _POINTER
        if paths and (directory != place or size + cost > _BATCH):
            run()
        place = directory
        paths.append(path)
        size += cost
        return True

    plan.on_end.append(run)
    if runner.in_directory:
        plan.on_leave.append(run)
    return test


PLAIN: dict[str, Callable[[Plan, str], Test]] = {
    "-print": print_path,
    "-print0": print_path,
    "-ls": print_long,
    "-prune": prune,
    "-quit": stop,
}
WITH_ARGUMENT: dict[str, Callable[[Plan, str, str], Test]] = {"-printf": print_format}
