"""From tree to closures: each node is turned once into a function of the shell.

A compiled command takes a Shell, runs, sets sh.status and returns it. Loop bodies pay for no tree
walking, no dispatch on node types and no second look at their words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from rshell import limits
from rshell.builtins import registry
from rshell.builtins.command import decode, reason
from rshell.builtins.streams import WriteError
from rshell.interp.endings import ExpansionError, LoopExit, PipeClosed, ShellExit
from rshell.interp.pipe import Pipe
from rshell.interp.redirect import DirectoryError, Opened, RedirectError, compile_redirects, open_input
from rshell.interp.scheduler import Group
from rshell.interp.sinks import Capture
from rshell.interp.words import check_size, compile_single, compile_words
from rshell.syntax.tree import BraceGroup, For, If, Sequence, SimpleCommand, Subshell, While, Word

if TYPE_CHECKING:
    from rshell.builtins.command import Command as Declared
    from rshell.interp.redirect import Apply
    from rshell.interp.shell import Shell
    from rshell.interp.words import Single
    from rshell.policy import Policy
    from rshell.syntax.tree import AndOr, Command, Pipeline, Program, Redirect

Code: TypeAlias = Callable[["Shell"], int]

_CHUNK = 64  # statements compiled at once
_SIGPIPE = 141  # the status of what a closed pipe has ended


class Compiler:
    """Compiles for one policy: which commands may run is settled here, not at each call.

    What stands inside a compound command, a pipeline or a substitution is compiled when it first runs: what
    never runs costs nothing, and nesting costs few Python frames (one to four a level, limits.NESTING
    levels). Compiling never raises: a word that cannot be expanded becomes a command that fails.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def program(self, program: Program) -> Code:
        """The code of a whole script."""
        return self.sequence(program.body)

    def sequence(self, sequence: Sequence) -> Code:
        """Commands one after the other."""
        items = sequence.items
        if len(items) > _CHUNK:  # compiled as they are reached: the deadline counts from the first
            codes = [self.group(Sequence(items[at : at + _CHUNK])) for at in range(0, len(items), _CHUNK)]
        else:
            codes = [self.and_or(item) for item in items]
        if len(codes) == 1:
            return codes[0]
        if not codes:
            return _nothing

        def run(sh: Shell) -> int:
            for code in codes:
                code(sh)
            return sh.status

        return run

    def and_or(self, item: AndOr) -> Code:
        """Pipelines joined by && and ||."""
        first = self.pipeline(item.first)
        if not item.rest:
            return first
        rest = [(operator == "&&", self.pipeline(pipeline)) for operator, pipeline in item.rest]

        def run(sh: Shell) -> int:
            status = first(sh)
            for conjunction, code in rest:
                if (status == 0) == conjunction:
                    status = code(sh)
            return status

        return run

    def pipeline(self, pipeline: Pipeline) -> Code:
        """A lone command, or stages joined by pipes; `!` before them."""
        code = self.command(pipeline.stages[0]) if len(pipeline.stages) == 1 else self.stages(pipeline.stages)
        if not pipeline.negated:
            return code

        def negate(sh: Shell) -> int:
            try:
                sh.status = status = 0 if code(sh) else 1
            except LoopExit as leaving:
                leaving.status = 0 if leaving.status else 1  # the status of the loop that it leaves
                raise
            return status

        return negate

    def stages(self, commands: tuple[Command, ...]) -> Code:
        """A pipeline: every stage is a subshell and a coroutine."""
        count = len(commands)
        codes: list[Code] = []

        def run(sh: Shell) -> int:
            if not codes:
                codes.extend([self.command(command) for command in commands])
            run = sh.run
            run.check()
            scheduler = run.scheduler
            current = scheduler.current
            assert current is not None
            group = Group(current)
            statuses = [0] * count
            source = sh.stdin
            incoming: Pipe | None = None
            for index, code in enumerate(codes):
                child = sh.fork()
                child.stdin = source
                owned: list[Callable[[], None]] = []
                if incoming is not None:
                    owned.append(incoming.close_read)
                    incoming = None
                if index < count - 1:
                    incoming = Pipe(scheduler)
                    child.stdout = incoming
                    owned.append(incoming.close_write)
                    source = incoming.source()
                try:
                    stage = scheduler.spawn(_stage(code, child, statuses, index), group)
                except OverflowError as error:
                    for close in owned:
                        close()
                    sh.complain(str(error))
                    statuses[-1] = 1
                    break
                stage.owned = owned
            scheduler.join(group)
            sh.status = status = statuses[-1]
            return status

        return run

    def command(self, command: Command) -> Code:
        """Any command, with its redirections."""
        if isinstance(command, SimpleCommand):
            return self.simple(command)
        if isinstance(command, If):
            code = self.conditional(command)
        elif isinstance(command, For):
            code = self.for_loop(command)
        elif isinstance(command, While):
            code = self.while_loop(command)
        elif isinstance(command, Subshell):
            code = self.subshell(command.body)
        elif isinstance(command, BraceGroup):
            code = self.group(command.body)
        else:
            raise ExpansionError(f"{type(command).__name__} is not supported")  # refused by the validator before
        return self.redirected(code, command.redirects, "redirection") if command.redirects else code

    def redirected(self, code: Code, redirects: tuple[Redirect, ...], label: str) -> Code:
        """code with its streams changed while it runs."""
        apply = compile_redirects(redirects, self.substitution, label)

        def run(sh: Shell) -> int:
            saved = sh.stdin, sh.stdout, sh.stderr
            opened = Opened(sh.run)
            try:
                apply(sh, opened)
                return code(sh)
            except RedirectError as error:
                try:
                    return _fail(sh, error)  # where stderr has been sent by then, as bash does
                finally:
                    opened.abandon()
            finally:
                sh.stdin, sh.stdout, sh.stderr = saved
                opened.close()

        return run

    # Compound commands

    def group(self, body: Sequence) -> Code:
        """{ …; }."""
        code: Code | None = None

        def run(sh: Shell) -> int:
            nonlocal code
            if code is None:
                code = self.sequence(body)
            return code(sh)

        return run

    def conditional(self, command: If) -> Code:
        """if, elif, else."""
        arms: list[tuple[Code, Code]] = []
        otherwise: Code | None = None

        def run(sh: Shell) -> int:
            nonlocal otherwise
            if not arms:
                for condition_tree, body_tree in command.arms:
                    arms.append((self.sequence(condition_tree), self.sequence(body_tree)))
                if command.otherwise is not None:
                    otherwise = self.sequence(command.otherwise)
            for condition, body in arms:
                if condition(sh) == 0:
                    return body(sh)
            if otherwise is not None:
                return otherwise(sh)
            sh.status = 0
            return 0

        return run

    def for_loop(self, command: For) -> Code:
        """for NAME in WORDS."""
        words: Callable[[Shell], list[str]] | None = None
        body: Code = _nothing
        name = command.name

        def run(sh: Shell) -> int:
            nonlocal words, body
            run = sh.run
            try:
                if words is None:
                    words = compile_words(command.words or (), self.substitution)
                    body = self.sequence(command.body)
                values = words(sh)
                check_size(sh, values)
            except ExpansionError as error:
                return _fail(sh, error)
            if not values:
                sh.status = 0
            sh.loops += 1
            try:
                for value in values:
                    run.steps -= 1
                    if run.steps < 0:
                        run.pulse()
                    sh.assign(name, value)
                    try:
                        body(sh)
                    except LoopExit as leaving:
                        if leaving.levels > 1:
                            leaving.levels -= 1
                            raise
                        sh.status = leaving.status
                        if not leaving.again:
                            break
            finally:
                sh.loops -= 1
            return sh.status

        return run

    def while_loop(self, command: While) -> Code:
        """while and until."""
        condition: Code | None = None
        body: Code = _nothing
        until = command.until

        def run(sh: Shell) -> int:
            nonlocal condition, body
            if condition is None:
                condition = self.sequence(command.condition)
                body = self.sequence(command.body)
            run = sh.run
            status = 0
            sh.loops += 1
            try:
                while True:
                    run.steps -= 1
                    if run.steps < 0:
                        run.pulse()
                    try:
                        if (condition(sh) == 0) is until:
                            break
                        status = body(sh)
                    except LoopExit as leaving:
                        if leaving.levels > 1:
                            leaving.levels -= 1
                            raise
                        status = leaving.status
                        if not leaving.again:
                            break
            finally:
                sh.loops -= 1
            sh.status = status
            return status

        return run

    def subshell(self, body: Sequence) -> Code:
        """( … )."""
        code: Code | None = None

        def run(sh: Shell) -> int:
            nonlocal code
            if code is None:
                code = self.sequence(body)
            try:
                status = code(sh.fork())
            except ShellExit as leaving:
                status = leaving.status
            sh.status = status
            return status

        return run

    def substitution(self, body: Sequence) -> Single:
        """$( … ): the output of a subshell, without final newlines and NULs."""
        code: Code | None = None

        def value(sh: Shell) -> str:
            nonlocal code
            if code is None:
                code = self._file_contents(body) or self.sequence(body)
            sh.run.check()
            child = sh.fork()
            capture = Capture(limits.SUBSTITUTION)
            child.stdout = capture
            try:
                status = code(child)
            except ShellExit as leaving:
                status = leaving.status
            except PipeClosed:
                if not capture.overflowed:
                    raise
                status = _SIGPIPE
            sh.substituted = sh.status = status
            if capture.overflowed:
                raise ExpansionError(f"command substitution: output too long ({limits.SUBSTITUTION} bytes at most)")
            data = capture.value()
            if b"\0" in data:
                data = data.replace(b"\0", b"")
            return decode(data.rstrip(b"\n"))  # text: newlines only

        return value

    def _file_contents(self, body: Sequence) -> Code | None:
        """$(<file): the file itself, without a command."""
        match body.items:
            case [item] if not item.rest and not item.first.negated and len(item.first.stages) == 1:
                stage = item.first.stages[0]
            case _:
                return None
        if not isinstance(stage, SimpleCommand) or stage.words or stage.assignments or len(stage.redirects) != 1:
            return None
        redirect = stage.redirects[0]
        if redirect.op != "<" or redirect.fd not in (None, 0) or not isinstance(redirect.target, Word):
            return None
        words = compile_words([redirect.target], self.substitution)

        def read(sh: Shell) -> int:
            opened = Opened(sh.run)
            try:
                fields = words(sh)
                if len(fields) != 1:
                    raise RedirectError("ambiguous redirect")
                for block in open_input(sh, fields[0], opened).blocks():
                    sh.stdout.write(block)
            except DirectoryError:
                return 0
            except (ExpansionError, RedirectError, WriteError) as error:
                return _fail(sh, error)
            except OSError as failure:
                return _fail(sh, f"{fields[0]}: {reason(failure)}")
            finally:
                opened.close()
            return 0

        return read

    # Simple commands

    def simple(self, command: SimpleCommand) -> Code:
        """Assignments, a command with its words, or both (POSIX XCU 2.9.1)."""
        assignments = [(a.name, compile_single(a.value.parts if a.value else (), self.substitution))
                       for a in command.assignments]  # fmt: skip
        if not command.words:
            code = self.assignments(assignments)
            return self.redirected(code, command.redirects, "redirection") if command.redirects else code
        try:
            words = compile_words(command.words, self.substitution)
        except ExpansionError as error:
            message = str(error)
            return lambda sh: _fail(sh, message)
        name = command.words[0].literal()
        apply = None
        if command.redirects:
            apply = compile_redirects(command.redirects, self.substitution, name or "redirection")
        if assignments or apply is not None or name is None or not self._known(name):
            return self.general(words, assignments, apply)
        return self.direct(name, words)

    def _known(self, name: str) -> bool:
        return self.policy.allows(name) and name in registry.MODULES

    def assignments(self, assignments: list[tuple[str, Single]]) -> Code:
        """NAME=value alone: sets variables; the status is that of the last substitution in them."""

        def run(sh: Shell) -> int:
            run = sh.run
            run.steps -= 1
            if run.steps < 0:
                run.pulse()
            sh.substituted = None
            try:
                for name, single in assignments:
                    sh.assign(name, single(sh))
            except ExpansionError as error:
                return _fail(sh, error)
            sh.status = status = sh.substituted or 0
            return status

        return run

    def direct(self, name: str, words: Callable[[Shell], list[str]]) -> Code:
        """A command that is known and allowed, without redirections: the short way."""
        command: Declared | None = None

        def run(sh: Shell) -> int:
            nonlocal command
            run = sh.run
            run.steps -= 1
            if run.steps < 0:
                run.pulse()
            try:
                fields = words(sh)
            except ExpansionError as error:
                return _fail(sh, error)
            if command is None:
                command = registry.find(name)
                assert command is not None
            del fields[0]
            if command.quick is not None:
                try:
                    status = command.quick(fields, sh.stdout.write)
                except WriteError as failure:
                    return _fail(sh, f"{name}: {failure}")
                if status is not None:
                    sh.status = status
                    return status
            return sh.execute(command, fields)

        return run

    def general(
        self, words: Callable[[Shell], list[str]], assignments: list[tuple[str, Single]], apply: Apply | None
    ) -> Code:
        """Any simple command with words: expansion, redirections, inline assignments, the call."""

        def run(sh: Shell) -> int:
            run = sh.run
            run.steps -= 1
            if run.steps < 0:
                run.pulse()
            sh.substituted = None
            saved = sh.stdin, sh.stdout, sh.stderr
            opened = Opened(sh.run)
            try:
                fields = words(sh)
                if apply is not None:
                    apply(sh, opened)
                if not fields:
                    for name, single in assignments:
                        sh.assign(name, single(sh))
                    sh.status = status = sh.substituted or 0
                    return status
                if assignments:
                    return _with_inline(sh, fields, assignments)
                return sh.call(fields)
            except (ExpansionError, RedirectError) as error:
                try:
                    return _fail(sh, error)  # where stderr has been sent by then, as bash does
                finally:
                    opened.abandon()
            finally:
                sh.stdin, sh.stdout, sh.stderr = saved
                opened.close()

        return run


def _with_inline(sh: Shell, fields: list[str], assignments: list[tuple[str, Single]]) -> int:
    """Run a command with NAME=value before it: set for the command, put back afterwards."""
    before: list[tuple[str, str | None]] = []
    inline = sh.inline
    try:
        for name, single in assignments:
            value = single(sh)
            before.append((name, sh.vars.get(name)))
            sh.assign(name, value)
        sh.inline = (*inline, *(name for name, _ in assignments))
        return sh.call(fields)
    finally:
        sh.inline = inline
        for name, old in reversed(before):
            sh.restore(name, old)


def _stage(code: Code, child: Shell, statuses: list[int], index: int) -> Callable[[], None]:
    def body() -> None:
        try:
            statuses[index] = code(child)
        except ShellExit as leaving:
            statuses[index] = leaving.status
        except PipeClosed:
            statuses[index] = _SIGPIPE
        except LoopExit:
            statuses[index] = 0
        except RecursionError:
            child.complain("nesting too deep")
            statuses[index] = 2

    return body


def _nothing(sh: Shell) -> int:
    sh.status = 0
    return 0


def _fail(sh: Shell, error: Exception | str) -> int:
    sh.complain(str(error))
    sh.status = 1
    return 1

