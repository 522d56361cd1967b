"""The rules of docs/architecture.md that a reviewer relies on, checked on the source itself.

A command can be trusted after reading one file only if that file cannot reach the system. So a file
under ``rshell/builtins`` imports from an allow-list, and names that open, run or import do not
occur in it. Text rules: script and file text is never read by Python's own idea of numbers,
digits and blanks (``int`` takes ``1_000`` and ``٣``; ``split()`` knows 29 kinds of blank). A line that
deals with text of our own says so: ``# text: ours``.
"""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).parent.parent
RSHELL = ROOT / "rshell"
FILES = {str(path.relative_to(ROOT)): path for path in sorted(RSHELL.rglob("*.py"))}
OURS = "# text: ours"


def under(*packages: str) -> list[str]:
    return [name for name in FILES if any(name.startswith(f"rshell/{package}/") for package in packages)]


# Standard modules that compute and touch nothing.
HARMLESS = {
    "__future__", "abc", "base64", "binascii", "bisect", "calendar", "cmath", "collections", "collections.abc",
    "contextlib", "copy", "dataclasses", "datetime", "decimal", "enum", "errno", "fractions", "functools", "hashlib",
    "heapq", "itertools", "json", "math", "numbers", "re", "stat", "string", "struct", "textwrap", "typing", "unicodedata",
    "zlib",
}  # fmt: skip

# Modules of which only these names may be had, by `from MODULE import NAME`.
IN_PART = {
    "bz2": {"BZ2Decompressor"},
    "io": {"BytesIO", "StringIO", "SEEK_SET", "SEEK_CUR", "SEEK_END"},
    "lz4.block": {"decompress"},
    "lzma": {"LZMADecompressor", "LZMAError", "FORMAT_AUTO", "FORMAT_XZ", "FORMAT_ALONE"},
    "operator": {"itemgetter", "eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "neg"},
    "types": {"MappingProxyType", "SimpleNamespace", "TracebackType"},
    "zstandard": {"ZstdDecompressor", "ZstdDecompressionObj", "ZstdError"},
}

# What harmless modules hold that is not: it changes the process or evaluates text.
NOT_HARMLESS = {"chdir", "get_type_hints", "ForwardRef", "make_dataclass"}

# What one file may import beyond that, and why.
BY_FILE = {
    "rshell/builtins/regex.py": {"re2", "threading"},  # the engine; its helper thread
    "rshell/builtins/registry.py": {"importlib"},  # commands are imported when first run
}

FORBIDDEN_NAMES = {
    "open", "eval", "exec", "compile", "__import__", "globals", "locals", "vars", "breakpoint", "input",
    "__builtins__", "__loader__", "__spec__",
}  # fmt: skip

# Attributes by which a harmless object leads to the interpreter's insides.
FORBIDDEN_ATTRIBUTES = {
    "__globals__", "__builtins__", "__subclasses__", "__code__", "__loader__", "__spec__", "__import__", "__bases__",
    "__mro__", "__getattribute__", "f_globals", "f_builtins", "gi_frame", "tb_frame",
}  # fmt: skip


def run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree without what stands under ``if TYPE_CHECKING:``."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If):
            name = node.test.attr if isinstance(node.test, ast.Attribute) else getattr(node.test, "id", None)
            if name == "TYPE_CHECKING":
                todo += node.orelse
                continue
        todo += ast.iter_child_nodes(node)


def imports(tree: ast.AST, name: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield line, module and name (None for a whole module) of each import that is carried out."""
    package = name.removesuffix(".py").removesuffix("/__init__").split("/")
    if not name.endswith("/__init__.py"):
        package = package[:-1]
    for node in run_time_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, module, alias.name


def import_faults(source: str, name: str) -> list[str]:
    """List the imports that a file under builtins/ may not make."""
    faults = []
    for line, module, part in imports(ast.parse(source), name):
        inside = part is not None and part in sys.stdlib_module_names and part != module.split(".")[-1]
        if module in HARMLESS and (part in NOT_HARMLESS or (inside and f"{module}.{part}" not in HARMLESS)):
            faults.append(f"{name}:{line}: imports {module} ({part})")
            continue
        own = module == "rshell.limits" or (module == "rshell" and part == "limits") or module == "rshell.builtins"
        if own or module.startswith("rshell.builtins.") or module in HARMLESS or module in BY_FILE.get(name, ()):
            continue
        if part is None and module in IN_PART:
            faults.append(f"{name}:{line}: import {module} whole: take names of {sorted(IN_PART[module])}")
        elif part not in IN_PART.get(module, ()):
            faults.append(f"{name}:{line}: imports {module}{f' ({part})' if part else ''}")
    return faults


def name_faults(source: str, name: str) -> list[str]:
    """List what opens, runs or imports, or finds it by a roundabout way."""
    tree = ast.parse(source)
    modules = {module.split(".")[0] for _, module, part in imports(tree, name) if part is None}
    faults = []
    for node in run_time_nodes(tree):
        where = f"{name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_NAMES:
            faults.append(f"{where}: {node.id}")
        elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_ATTRIBUTES:
            faults.append(f"{where}: .{node.attr}")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            borrowed = node.attr in sys.stdlib_module_names and node.attr != node.value.id
            if node.attr.startswith("_") or node.attr in NOT_HARMLESS or (borrowed and f"{node.value.id}.{node.attr}" not in HARMLESS):
                faults.append(f"{where}: {node.value.id}.{node.attr} is a module's inside")
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"getattr", "setattr", "delattr"}
            and not (len(node.args) > 1 and isinstance(node.args[1], ast.Constant))
        ):
            faults.append(f"{where}: {node.func.id} with a computed name")
    return faults


def text_faults(source: str, name: str) -> list[str]:
    """List the calls that read text by Python's own idea of numbers and blanks."""
    lines = source.split("\n")
    faults = []
    for node in ast.walk(ast.parse(source)):
        fault = ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int" and node.args:
            fault = "int()"
        elif isinstance(node, ast.Attribute) and node.attr in {"isdigit", "isdecimal", "isnumeric", "isspace"}:
            fault = f".{node.attr}"
        elif isinstance(node, ast.Attribute) and node.attr == "splitlines":
            fault = ".splitlines"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method, separator = node.func.attr, node.args[0] if node.args else None
            named = any(keyword.arg in {"sep", "chars"} for keyword in node.keywords)
            none = isinstance(separator, ast.Constant) and separator.value is None
            if method in {"split", "rsplit", "strip", "lstrip", "rstrip"} and not named and (none or separator is None):
                fault = f".{method}() without separator"
        if fault and not any(OURS in line for line in lines[node.lineno - 1 : node.end_lineno]):
            faults.append(f"{name}:{node.lineno}: {fault}")
    return faults


@pytest.mark.parametrize("name", under("builtins"))
def test_a_command_imports_only_what_cannot_touch_the_system(name: str) -> None:
    assert not import_faults(FILES[name].read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("name", under("builtins"))
def test_a_command_names_nothing_that_opens_or_runs(name: str) -> None:
    assert not name_faults(FILES[name].read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("name", under("syntax", "interp", "builtins"))
def test_script_text_is_read_by_our_own_rules(name: str) -> None:
    assert not text_faults(FILES[name].read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("name", under("syntax", "interp"))
def test_the_language_opens_no_path(name: str) -> None:
    forbidden = {"pathlib", "shutil", "glob", "fnmatch", "tempfile", "socket", "subprocess", "ctypes"}
    if name.startswith("rshell/syntax/"):
        forbidden.add("os")
    calls = {"open", "stat", "lstat", "listdir", "scandir", "readlink", "access", "walk", "fwalk", "chdir", "environ"}
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    faults = [f"{name}:{line}: imports {module}" for line, module, _ in imports(tree, name) if module in forbidden]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in {"open", "eval", "exec", "compile", "__import__"}:
            faults.append(f"{name}:{node.lineno}: {node.id}")
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "os" and node.attr in calls:
            faults.append(f"{name}:{node.lineno}: os.{node.attr}")
    assert not faults


def importers(module: str) -> set[str]:
    found = set()
    for name, path in FILES.items():
        for _, imported, _ in imports(ast.parse(path.read_text(encoding="utf-8")), name):
            if imported == module or imported.startswith(f"{module}."):
                found.add(name)
    return found


def test_one_file_owns_the_regex_engine() -> None:
    assert importers("re2") <= {"rshell/builtins/regex.py"}


def test_only_the_interpreter_knows_coroutines() -> None:
    assert {name for name in importers("greenlet") if not name.startswith("rshell/interp/")} == set()


def test_only_the_command_line_knows_click() -> None:
    assert importers("click") <= {"rshell/cli.py"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_fits_in_a_head(name: str) -> None:
    assert FILES[name].read_text(encoding="utf-8").count("\n") <= 600


def ends_here(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler keeps the error: it neither raises nor hands the error itself on."""
    for node in ast.walk(handler):
        if isinstance(node, ast.Raise):
            return False
        handed = [*node.elts] if isinstance(node, ast.Tuple) else [getattr(node, "value", None)]
        if isinstance(node, ast.Tuple | ast.Return | ast.Assign) and any(
            isinstance(value, ast.Name) and value.id == handler.name for value in handed
        ):
            return False
    return True


def test_unknown_errors_end_in_one_place() -> None:
    """A bug must show: only the framework, around a command, turns an unknown error into a message."""
    places = []
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ExceptHandler):
                continue
            if (node.type is None or getattr(node.type, "id", "") == "Exception") and ends_here(node):
                places.append(f"{name}:{node.lineno}")
    assert [place.split(":")[0] for place in places] in ([], ["rshell/builtins/command.py"]), places


def test_importing_rshell_loads_no_more_than_it_needs() -> None:
    script = "import sys, rshell; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"click", "re2", "lz4", "zstandard", "lzma", "bz2", "asyncio", "subprocess", "socket", "zoneinfo", "yaml"}
    assert not heavy & set(loaded)


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("import os", "imports os"),
        ("from rshell.sandbox import files", "imports rshell.sandbox"),
        ("from ..sandbox import files", "imports rshell.sandbox"),
        ("def f():\n    import socket", "imports socket"),
        ("import lzma", "import lzma whole"),
        ("from lzma import open", "imports lzma (open)"),
        ("import re2", "imports re2"),
        ("from io import open", "imports io (open)"),
        ("from contextlib import chdir", "imports contextlib (chdir)"),
        ("from contextlib import os", "imports contextlib (os)"),
    ],
)
def test_the_import_check_sees(source: str, fault: str) -> None:
    assert any(fault in found for found in import_faults(source, "rshell/builtins/x.py"))


@pytest.mark.parametrize(
    "source",
    [
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import os",
        "import math\nfrom rshell.builtins.command import Command\nfrom rshell import limits\nfrom .command import Option",
        "from lzma import LZMADecompressor\nimport collections.abc",
    ],
)
def test_the_import_check_lets_pass(source: str) -> None:
    assert not import_faults(source, "rshell/builtins/x.py")


@pytest.mark.parametrize(
    "source",
    [
        "open('f')", "f = open", "eval('1')", "compile('1', '', 'eval')", "__import__('os')", "getattr(x, 'a' + b)",
        "().__class__.__bases__[0].__subclasses__()", "import textwrap\ntextwrap.re", "import struct\nstruct._x",
        "import contextlib\ncontextlib.chdir('/')", "f.__globals__",
    ],
)  # fmt: skip
def test_the_name_check_sees(source: str) -> None:
    assert name_faults(source, "rshell/builtins/x.py")


@pytest.mark.parametrize(
    "source",
    ["call.open(p)", "compile_pattern(p)", "import re\nre.compile('a')", "getattr(x, 'a', None)",
     "import datetime\ndatetime.datetime", "import collections.abc\ncollections.abc.Mapping"],
)  # fmt: skip
def test_the_name_check_lets_pass(source: str) -> None:
    assert not name_faults(source, "rshell/builtins/x.py")


@pytest.mark.parametrize(
    "source",
    ["int(w)", "int(w, 8)", "w.isdigit()", "any(map(str.isspace, w))", "w.split()", "w.split(None, 1)",
     "w.rsplit(maxsplit=1)", "w.strip()", "w.rstrip()", "b.splitlines(True)"],
)  # fmt: skip
def test_the_text_check_sees(source: str) -> None:
    assert text_faults(source, "x.py")
    assert not text_faults(f"{source}  {OURS}", "x.py")


@pytest.mark.parametrize("source", ["w.split(':')", "w.strip(' \\t')", "b.split(b'\\n')", "x: int = 0", "w.split(sep=',')"])
def test_the_text_check_lets_pass(source: str) -> None:
    assert not text_faults(source, "x.py")
