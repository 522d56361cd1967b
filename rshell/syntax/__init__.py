"""From text to tree: `parse` reads a script, `validate` refuses what the shell leaves out."""

from rshell.syntax.errors import FeatureError, ShellSyntaxError
from rshell.syntax.parser import parse
from rshell.syntax.validate import validate

__all__ = ["FeatureError", "ShellSyntaxError", "parse", "validate"]
