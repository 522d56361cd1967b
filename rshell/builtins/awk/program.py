"""Run a parsed program over its input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rshell.builtins.awk import tree
from rshell.builtins.awk.errors import AwkError
from rshell.builtins.awk.lexer import unescape
from rshell.builtins.awk.patterns import Plain
from rshell.builtins.awk.runtime import (
    ARGC,
    ARGV,
    ENVIRON,
    FILENAME,
    PROCINFO,
    RT,
    SPECIAL,
    ExitProgram,
    Frame,
    NextFile,
    NextRecord,
    Runtime,
)  # fmt: skip
from rshell.builtins.awk.scope import Scope
from rshell.builtins.awk.statements import Execute, Statements
from rshell.builtins.awk.values import Array, strnum
from rshell.builtins.command import encode

if TYPE_CHECKING:
    from rshell.builtins.command import Invocation

_COUNTING = {"NR", "FNR", "RS", "RT", "IGNORECASE"}
_ASSIGNMENT = re.compile(rb"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


class Running:
    """One program, compiled for one run."""

    def __init__(self, program: tree.Program, call: Invocation) -> None:
        self.scope = Scope(program)
        self.runtime = Runtime(call, self.scope.globals)
        if not self.scope.whole_record:
            self.runtime.most = self.scope.most_field
        compiler = Statements(self.scope, self.runtime)
        self._compiler = compiler
        compiler.define()
        self.special = {name: [compiler.block(b) for b in blocks] for name, blocks in program.special.items()}
        self.rules = [compiler.rule(rule) for rule in program.rules]
        self.reads = bool(self.rules or any(self.special[name] for name in ("END", "BEGINFILE", "ENDFILE")))
        records = self.runtime.records
        self.runtime.assign_operand = self.assign
        records.opened, records.closed = self._opened, self._closed
        if "RT" in self.scope.used:
            records.terminator = self._terminator
        records.wanted = self._wanted(program)

    def _wanted(self, program: tree.Program) -> bytes:
        """The plain string of a program whose one rule is /string/: other records need not be cut out.

        Not when the program can tell: it counts records, reads on by itself, or changes how they are cut.
        """
        if self.scope.reads_on or self.scope.used & _COUNTING or len(program.rules) != 1:
            return b""
        rule = program.rules[0]
        if rule.until is not None or not isinstance(rule.pattern, tree.Regex):
            return b""
        pattern = self.runtime.patterns.get(rule.pattern.source)
        return pattern.text if type(pattern) is Plain and b"\n" not in pattern.text else b""

    def _terminator(self, text: bytes) -> None:
        self.runtime.globals[RT] = text

    def _opened(self, name: str) -> None:
        runtime = self.runtime
        runtime.globals[FILENAME] = encode(name)
        runtime.fnr = 0
        for block in self.special["BEGINFILE"]:
            block([])

    def _closed(self) -> None:
        for block in self.special["ENDFILE"]:
            block([])

    def assign(self, text: bytes) -> bool:
        """Carry out an operand NAME=VALUE; False when it is none."""
        match = _ASSIGNMENT.fullmatch(text)
        if match is None:
            return False
        name = match[1].decode()
        if name in self.scope.program.functions:
            raise AwkError(f"function {name} cannot be assigned")
        if name in self.scope.used or name in SPECIAL:
            self._compiler.store(tree.Name(name))([], strnum(unescape(match[2])))
        return True

    def start(self, operands: Sequence[str], assignments: Sequence[str]) -> None:
        """Set what the command line gives: ARGV, ENVIRON and the assignments of -v and -F."""
        space, runtime = self.runtime.globals, self.runtime
        argv, environ, procinfo = space[ARGV], space[ENVIRON], space[PROCINFO]
        assert isinstance(argv, Array) and isinstance(environ, Array) and isinstance(procinfo, Array)
        for index, operand in enumerate(["awk", *operands]):
            argv[b"%d" % index] = strnum(encode(operand))
        space[ARGC] = float(len(operands) + 1)
        for name, value in runtime.call.context.environment().items():
            environ[encode(name)] = strnum(encode(value))
        procinfo[b"version"] = b"rshell"
        for assignment in assignments:
            if not self.assign(encode(assignment)):
                raise AwkError(f"-v: {assignment}: not an assignment")

    def run(self) -> int:
        """Run BEGIN, the main loop and END; return the exit status."""
        runtime = self.runtime
        status = 0
        try:
            self._run("BEGIN")
            if self.reads:
                self._main()
        except ExitProgram:
            pass
        else:
            status = self._end()
            return status
        return self._end() if self.reads or self.special["END"] else self._status(runtime)

    def _end(self) -> int:
        runtime = self.runtime
        runtime.frames.clear()
        try:
            self._run("END")
        except ExitProgram:
            pass
        return self._status(runtime)

    @staticmethod
    def _status(runtime: Runtime) -> int:
        runtime.flush()
        return runtime.call.status if runtime.status is None else runtime.status

    def _run(self, kind: str) -> None:
        for block in self.special[kind]:
            block([])

    def _main(self) -> None:
        runtime = self.runtime
        records = runtime.records
        rules = self.rules
        execute = rules[0] if len(rules) == 1 else _every(rules)
        frame: Frame = []
        while True:
            current = records.current
            try:
                for record in current:
                    runtime.nr += 1
                    runtime.fnr += 1
                    runtime.record = record
                    runtime.fields = None
                    if execute(frame) == "nextfile":
                        records.skip_file()
            except NextRecord:
                runtime.frames.clear()
                continue
            except NextFile:
                runtime.frames.clear()
                records.skip_file()
                continue
            if records.current is current and not records.load():
                if records.wanted:
                    runtime.take_record(records.last)
                return


def _every(rules: Sequence[Execute]) -> Execute:
    every = tuple(rules)

    def execute(f: Frame) -> str | None:
        for rule in every:
            signal = rule(f)
            if signal is not None:
                return signal
        return None

    return execute
