"""A larger corpus of real journal files, where there is one: RSHELL_SHARED names the directory that holds it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from rshell.journal import JournalError, open_files

SHARED = Path(os.environ.get("RSHELL_SHARED") or Path(__file__).parents[2].parent / "shared") / "journals"

pytestmark = pytest.mark.skipif(not (SHARED / "manifest.json").exists(), reason="no corpus (RSHELL_SHARED)")

Fields = list[tuple[str, bytes]]


def manifest(name: str) -> Any:
    path = SHARED / name
    return json.loads(path.read_bytes()) if path.exists() else []


def parse_export(raw: bytes) -> list[Fields]:
    entries: list[Fields] = []
    fields: Fields = []
    at = 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        line, at = raw[at:end], end + 1
        if not line:
            entries.append(fields)
            fields = []
            continue
        name, equals, value = line.partition(b"=")
        if not equals:
            size = int.from_bytes(raw[at : at + 8], "little")
            value = raw[at + 8 : at + 8 + size]
            at += 8 + size + 1
        if name == b"__REALTIME_TIMESTAMP" or not (name.startswith(b"__") or name == b"_BOOT_ID"):
            fields.append((name.decode(), value))
    return entries


EXPORTS = [
    case for case in manifest("manifest.json") if case["args"] == ["-o", "export"] and case["data"][:5] == "files"
]
DAMAGED = sorted({*SHARED.glob("damaged/*.gz"), *SHARED.glob("more/damaged/*/*.gz")})


@pytest.mark.parametrize("case", EXPORTS, ids=lambda case: str(case["variant"]))
def test_good_files_have_the_entries_and_fields_of_the_export(case: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    path.write_bytes(gzip.decompress((SHARED / case["data"]).read_bytes()))
    with open_files([str(path)]) as journal:
        ours = [
            [("__REALTIME_TIMESTAMP", b"%d" % e.realtime), *(f for f in e.fields(1 << 26) if f[0] != "_BOOT_ID")]
            for e in journal.query()
        ]
        assert journal.problems == []
    assert ours == parse_export(gzip.decompress((SHARED / case["stdout"]).read_bytes()))


@pytest.mark.parametrize("source", DAMAGED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_damaged_files_give_an_error_or_entries(source: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    path.write_bytes(gzip.decompress(source.read_bytes()))
    for newest_first in (False, True):
        try:
            with open_files([str(path)]) as journal:
                for entry in journal.query(newest_first=newest_first):
                    entry.get("MESSAGE")
                    list(entry.fields())
        except JournalError as error:
            assert str(error)
