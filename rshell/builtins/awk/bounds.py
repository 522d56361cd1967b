"""The bounds of one awk run; sizes are in bytes unless the name says otherwise."""

from __future__ import annotations

from rshell.limits import KIB, MIB

PROGRAM = 64 * KIB  # a longer program is refused
NESTING = 100  # open parentheses, braces, operators and statements
CALL_DEPTH = 200  # active calls of user functions
RECORD = 1 * MIB  # one input record, and $0 however it was made
ELEMENTS = 1_000_000  # of all arrays together, and fields of one record
STRINGS = 64 * MIB  # all strings that variables and arrays hold; also one string
STRING_UNCOUNTED = 64  # strings up to this size are not weighed: ELEMENTS bounds their number
TICKS_PER_CLOCK = 256  # loop turns and calls between two looks at the clock
OUTPUT_HELD = 64 * KIB  # output is handed on when there is this much
NUMBERS_KEPT = 20_000  # texts of numbers that are remembered
FILES = 64  # that print has open at once
