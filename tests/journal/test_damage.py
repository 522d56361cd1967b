"""Damaged files give their valid part or a JournalError, and nothing else."""

from __future__ import annotations

from fuzz import journal as fuzz


def test_200_damaged_files() -> None:
    fuzz.check(200)
