"""Every bound of the shell, in one place.

A bound that is reached is an error with a message and a non-zero exit, never a silent cut. Sizes
are in bytes unless the name says otherwise, times in seconds.
"""

from __future__ import annotations

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
TIB = 1024 * GIB

# The language
SCRIPT = 1 * MIB  # a longer script is refused, exit 2
SCRIPT_CEILING = 5 * MIB  # what a caller may raise SCRIPT to
TREE_NODES = 200_000  # a script with more is refused, exit 2
NESTING = 100  # open constructs; one more is a syntax error, exit 2
BRACE_WORDS = 16_384  # words one brace expansion may make; counted before they are made
HEREDOC = 10 * MIB  # a here-document after expansion
VARIABLE = 1 * MIB  # one variable
VARIABLES = 1 * MIB  # names and values of all variables together
SUBSTITUTION = 1 * MIB  # what one command substitution may give
COMMAND_BYTES = 16 * MIB  # the expanded words of one command
COMMAND_WORDS = 1_000_000  # the expanded words of one command
PIPELINE_STAGES = 256
COROUTINES = 1_024  # live ones, in one run
DISPATCH_DEPTH = 8  # commands run by commands (xargs, find -exec)
DESCRIPTORS = 256  # open at once, in one run
GLOB_ENTRIES = 10_000  # matches of one pattern
GLOB_READS = 10_000  # directories read for patterns, in one run
STEP_BYTES = 4 * KIB  # expanding this much costs one step
STEPS_PER_CLOCK = 256  # steps between two looks at the clock

# Streams
STDOUT = 10 * MIB  # a run
STDERR = 1 * MIB  # a run
LINE = 1 * MIB  # one line, in commands that work on lines
PIPE = 64 * KIB  # what waits in a pipe before its writer must wait
BLOCK = 128 * KIB  # what a command reads at once
WRITE_BYTES = 1 * GIB  # written to files by a run, unless the policy says another
TRUNCATE = 1 * TIB  # the size that truncate may give

# Paths
SYMLINK_HOPS = 10
PATH_BYTES = 4_096
PARENTS_KEPT = 8  # directory descriptors kept by one command's calls

# Commands
SORT_LINES = 1_000_000
SORT_BYTES = 256 * MIB
SED_BRANCHES = 10_000  # turns by branches for one input line
SED_SPACE = 1 * MIB  # pattern space and hold space, each
GREP_CONTEXT = 1_000  # lines
TAIL_BUFFER = 64 * MIB
TAIL_READ = 256 * MIB  # from a pipe
LS_ENTRIES = 200_000  # one directory
LS_PAGE = 1_000  # --limit
LS_DEPTH = 256
FIND_DEPTH = 256
FIND_NODES = 256  # of an expression
DU_DEPTH = 256
DU_LINKS = 1_048_576  # hard-linked files remembered
DIFF_BYTES = 64 * MIB  # one file whose lines are compared
DIFF_LINES = 1_000_000  # of one file
DIFF_DEPTH = 64  # directories below directories, each with a descriptor on either side
PRINTF_WIDTH = 10_000
READ_CHARACTERS = 1 * MIB  # read -n, read -N
INVOCATIONS = 10_000  # by one xargs or find -exec
RM_CALL = 10  # files
RM_RUN = 100  # files
NUMBER_DIGITS = 20  # significant digits; a longer number is out of range

# Regular expressions
PATTERNS_KEPT = 200
REGEX_INSTRUCTIONS = 50_000
REGEX_SLICE = 64 * KIB  # whole lines searched in one call
REGEX_WORK = 20_000_000  # instructions x bytes; above it the search runs in a helper thread

# Decompression
INFLATE_IN = 64 * KIB  # input of one call
INFLATE_OUT = 1 * MIB  # output of one call
LZMA_MEMORY = 64 * MIB
ZSTD_WINDOW = 8 * MIB
INFLATE_TOTAL = 1 * GIB

# The journal
JOURNAL_FILES = 128
JOURNAL_ENTRIES = 1_000
JOURNAL_DEFAULT_ENTRIES = 100
JOURNAL_UNITS = 32
JOURNAL_FIELD = 64 * KIB
JOURNAL_REPLY = 64 * KIB  # what journald may answer to a call
JOURNAL_ROTATION = 30  # seconds that one rotation may take

# The host
PROCESSES = 10_000
SOCKETS = 100_000
ROUTES = 10_000
MOUNTS = 100_000
VMSTAT_WAIT = 29  # seconds that one vmstat may wait in all
OPEN_FILES = 100_000  # lines of one lsof
MAPPINGS = 100_000  # of one process
