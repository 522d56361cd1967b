"""The rshell command, for development and debugging. The boundary is the embedded Runner and its Policy."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from rshell import __version__
from rshell.policy import Policy, PolicyError, SystemdTarget
from rshell.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Sequence


class Duration(click.ParamType[float]):
    """A time span as Go writes it: 100ms, 5s, 1m30s."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The span in seconds."""
        from rshell.builtins.text import duration

        if isinstance(value, float):
            return value
        seconds = duration(value)
        if seconds is None or seconds <= 0:
            self.fail(f"'{value}' is not a positive duration such as 100ms, 5s or 1m30s", param, ctx)
        return seconds


def _items(values: Sequence[str]) -> list[str]:
    """The items of comma-separated lists that may be given several times."""
    return [item for value in values for item in value.split(",") if item]


def _absolute(path: str) -> str:
    """A path of --allowed-paths made absolute, its :ro or :rw kept."""
    for suffix in (":ro", ":rw"):
        if path.endswith(suffix):
            return os.path.abspath(path.removesuffix(suffix)) + suffix
    return os.path.abspath(path)


def _services(values: Sequence[str]) -> dict[str, list[str]]:
    grants: dict[str, list[str]] = {}
    for item in _items(values):
        unit, colon, actions = item.partition(":")
        if not colon or not unit or not actions:
            raise click.BadParameter(f"'{item}' is not UNIT:ACTION[+ACTION]…", param_hint="--allowed-services")
        grants.setdefault(unit, []).extend(actions.split("+"))
    return grants


def _environment(values: Sequence[str]) -> dict[str, str]:
    env = {}
    for item in values:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"'{item}' is not NAME=VALUE", param_hint="--env")
        env[name] = value
    return env


def _policy(given: dict[str, Any], timeout: float | None) -> Policy:
    """The policy that the options describe: on top of --policy FILE, when there is one."""
    fields: dict[str, Any] = Policy.from_file(given["policy"]).to_dict() if given["policy"] else {}
    if given["allow_all_commands"]:
        fields["allowed_commands"] = ["rshell:*"]
    elif given["allowed_commands"]:
        fields["allowed_commands"] = [
            name if name.startswith("rshell:") else f"rshell:{name}" for name in _items(given["allowed_commands"])
        ]
    if given["allowed_paths"]:
        fields["allowed_paths"] = [_absolute(path) for path in _items(given["allowed_paths"])]
    if given["allowed_services"]:
        fields["allowed_services"] = _services(given["allowed_services"])
    if given["env"]:
        fields["env"] = _environment(given["env"])
    for name in ("mode", "proc_path", "host_prefix"):
        if given[name] is not None:
            fields[name] = given[name]
    if timeout is not None:
        fields["max_execution_time"] = timeout
    policy = Policy.from_dict(fields)
    journals = _items(given["systemd_journal_dirs"])
    if journals or given["systemd_machine_id_path"] or given["systemd_journal_socket"]:
        target = SystemdTarget(
            journal_dirs=journals,
            machine_id_path=given["systemd_machine_id_path"],
            journal_control_socket=given["systemd_journal_socket"],
        )
        policy = Policy.from_dict({**policy.to_dict(), "systemd_target": target})
    return policy


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE]...")
@click.option("-c", "script", metavar="SCRIPT", help="Run SCRIPT instead of files.")
@click.option("--allowed-commands", multiple=True, metavar="NAME,...", help="Commands that scripts may run.")
@click.option("--allow-all-commands", is_flag=True, help="Let scripts run every command of this shell.")
@click.option("-p", "--allowed-paths", multiple=True, metavar="PATH[:ro|:rw],...", help="Paths that scripts may reach.")
@click.option("--allowed-services", multiple=True, metavar="UNIT:ACTION+...,...", help="systemd grants.")
@click.option("--mode", type=click.Choice(["read-only", "remediation"]), help="read-only by default.")
@click.option("--timeout", type=Duration(), metavar="DURATION", help="End each script after this time, e.g. 5s.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="A variable that scripts see.")
@click.option("--policy", type=click.Path(), metavar="FILE", help="A policy as TOML; other options override it.")
@click.option("--proc-path", metavar="PATH", help="Where the process tree is mounted; /proc by default.")
@click.option("--host-prefix", metavar="PATH", help="Where the host's file system is mounted, in a container.")
@click.option("--systemd-journal-dirs", multiple=True, metavar="PATH,...", help="Journal directories.")
@click.option("--systemd-machine-id-path", metavar="PATH", help="The machine-id file of the journal's host.")
@click.option("--systemd-journal-socket", metavar="PATH", help="The control socket of its journald.")
@click.option("--describe", is_flag=True, help="Print what the policy lets a script do, and exit.")
@click.version_option(__version__, prog_name="rshell")
def main(files: tuple[str, ...], script: str | None, timeout: float | None, describe: bool, **given: Any) -> None:
    """Run shell scripts under a default-deny policy.

    Without -c and FILE the script is read from standard input. Several files run in order, in one shell.
    """
    if script is not None and files:
        raise click.UsageError("-c and files exclude each other")
    try:
        policy = _policy(given, timeout)
    except (PolicyError, OSError) as error:
        raise click.UsageError(str(error)) from None
    if describe:
        click.echo(policy.describe())
        return
    scripts, stdin = _scripts(script, files)
    status = 0
    with Runner(policy) as runner:
        for text in scripts:
            result = runner.run(text, stdin=stdin, stdout=_Out(sys.stdout), stderr=_Out(sys.stderr))
            status = result.exit_code
            if result.timed_out:
                span = given_span(policy.max_execution_time)
                click.echo(f"error: execution timed out after {span}", err=True)
                break
            if result.output_truncated or result.cancelled:
                break
    sys.exit(status)


def _scripts(script: str | None, files: tuple[str, ...]) -> tuple[list[str | bytes], Any]:
    """The scripts to run, and the stdin that they get."""
    stdin = sys.stdin.buffer if sys.stdin is not None else None
    if script is not None:
        return [script], stdin
    if not files:
        return [stdin.read() if stdin is not None else b""], None
    texts: list[str | bytes] = []
    for name in files:
        try:
            with open(name, "rb") as file:
                texts.append(file.read())
        except OSError as error:
            raise click.ClickException(f"{name}: {(error.strerror or '').lower()}") from None
    return texts, stdin


class _Out:
    """A standard stream, flushed at every chunk; a reader that has gone ends the program quietly."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream.buffer

    def write(self, data: bytes) -> None:
        """Write data now."""
        try:
            self.stream.write(data)
            self.stream.flush()
        except BrokenPipeError:
            # nothing can be said any more: keep the interpreter from trying at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(141) from None


def given_span(seconds: float | None) -> str:
    """A time span as Go prints it: 5s, 1m30s, 100ms."""
    if seconds is None:
        return "0s"
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{hours}h" if hours else ""
    if minutes or hours:
        text += f"{minutes}m"
    return f"{text}{rest:g}s"


def run() -> NoReturn:
    """The installed command: main(), ended without taking the interpreter apart, which costs more than most scripts."""
    status = 1
    try:
        main()
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = status or 1
    os._exit(status)


if __name__ == "__main__":
    run()
