"""From text to tree: `parse` reads a script, `validate` refuses what the shell leaves out."""

from rshell.syntax.errors import FeatureError, ShellSyntaxError
from rshell.syntax.parser import parse

__all__ = ["FeatureError", "ShellSyntaxError", "parse"]
