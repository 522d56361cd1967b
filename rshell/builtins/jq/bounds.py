"""The bounds of a jq program. One that is reached is an error with a message."""

from __future__ import annotations

from rshell.limits import KIB, MIB

PROGRAM = 64 * KIB
NESTING = 100  # open constructs of a program
DOCUMENT = 64 * MIB
DEPTH = 1_000  # of a document
STEPS = 10_000_000  # for one input
STEPS_PER_CLOCK = 4_096
RETAINED = 128 * MIB  # of values that a program builds, estimated
CELL = 16  # what one value costs at least
DESCENT = 100_000  # levels of recurse and its like
CALL_DEPTH = "nesting or function calls too deep"
