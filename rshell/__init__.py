"""A restricted shell for AI agents, in pure Python.

    from rshell import Policy, Runner

    policy = Policy(allowed_commands=["rshell:cat", "rshell:grep"], allowed_paths=["/var/log:ro"])
    with Runner(policy) as runner:
        result = runner.run("grep -c ERROR /var/log/app.log")
"""

from rshell.policy import Mode, Policy, PolicyError, SystemdTarget
from rshell.runner import Change, Result, Runner
from rshell.syntax import ShellSyntaxError, parse
from rshell.syntax.tree import Program

__version__ = "0.1.0"

__all__ = [
    "Change",
    "Mode",
    "Policy",
    "PolicyError",
    "Program",
    "Result",
    "Runner",
    "ShellSyntaxError",
    "SystemdTarget",
    "__version__",
    "parse",
]
