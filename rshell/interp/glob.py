"""File name generation (POSIX XCU 2.13.3): patterns matched against directories, through the sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rshell import limits
from rshell.builtins.pattern import compile_shell_pattern
from rshell.interp.endings import ExpansionError

if TYPE_CHECKING:
    from rshell.interp.shell import Shell
    from rshell.sandbox import Directory

def matches(sh: Shell, pattern: str) -> list[str]:
    """The paths that pattern matches, sorted by bytes; empty when there are none.

    Quoted characters come with a backslash before them. Raises ExpansionError past
    limits.GLOB_ENTRIES matches, or limits.GLOB_READS directories in one run.
    """
    components = pattern.split("/")
    if not any(_live(c) for c in components):
        return []
    absolute = pattern.startswith("/")
    found = _Walk(sh).walk(components, "/" if absolute else sh.cwd, absolute)
    found.sort(key=lambda path: path.encode("utf-8", "surrogateescape"))
    return found


def _live(component: str) -> bool:
    """Whether component has a pattern character that is not quoted."""
    at = 0
    while at < len(component):
        if component[at] == "\\":
            at += 2
            continue
        if component[at] in "*?" or (component[at] == "[" and "]" in component[at:]):
            return True
        at += 1
    return False


def _plain(component: str) -> str:
    """component without its quoting."""
    if "\\" not in component:
        return component
    out = []
    at = 0
    while at < len(component):
        if component[at] == "\\" and at + 1 < len(component):
            at += 1
        out.append(component[at])
        at += 1
    return "".join(out)


class _Walk:
    """One pattern on its way down the directories."""

    def __init__(self, sh: Shell) -> None:
        self.sh = sh
        self.run = sh.run
        self.found: list[str] = []

    def walk(self, components: list[str], base: str, absolute: bool) -> list[str]:
        """Go down from base; prefix strings keep the slashes as the script wrote them."""
        # breadth first: (text so far as it will be printed, path for the sandbox)
        here: list[tuple[str, str]] = [("", base)]
        index = 0
        if absolute:
            index = 1
            here = [("/", "/")]
        while index < len(components):
            component = components[index]
            slashes = "/"
            last = index == len(components) - 1
            while not last and components[index + 1] == "" and index + 1 < len(components) - 1:
                slashes += "/"
                index += 1
                last = index == len(components) - 1
            here = self._step(here, component, last, slashes)
            if not here:
                return []
            index += 1
        return [text for text, _ in here]

    def _step(self, here: list[tuple[str, str]], component: str, last: bool, slashes: str) -> list[tuple[str, str]]:
        made: list[tuple[str, str]] = []
        ending = "" if last else slashes
        if component == "":  # a final slash: directories only
            return [pair for pair in here if self._is_directory(pair[1])]
        if not _live(component):
            name = _plain(component)
            for text, path in here:
                target = f"{path}/{name}"
                if self._exists(target) if last else self._is_directory(target):
                    made.append((text + name + ending, target))
            return made
        match = compile_shell_pattern(component, period=True)
        for text, path in here:
            for name, kind in self._names(path, match):
                target = f"{path}/{name}"
                if not last and kind != "d" and not (kind in "l?" and self._is_directory(target)):
                    continue
                made.append((text + name + ending, target))
                if len(made) > limits.GLOB_ENTRIES:
                    raise ExpansionError(f"glob: too many matches ({limits.GLOB_ENTRIES} at most)")
        return made

    def _names(self, path: str, match: object) -> list[tuple[str, str]]:
        run = self.run
        run.spend("glob", 1, limits.GLOB_READS, f"glob: too many directories read ({limits.GLOB_READS} a run at most)")
        run.check()
        names: list[tuple[str, str]] = []
        try:
            directory: Directory = run.sandbox.directory(path)
        except OSError:
            return names
        with directory:
            try:
                for count, entry in enumerate(directory.entries()):
                    if match(entry.name):  # type: ignore[operator]
                        names.append((entry.name, entry.kind))
                        if len(names) > limits.GLOB_ENTRIES:
                            raise ExpansionError(f"glob: too many matches ({limits.GLOB_ENTRIES} at most)")
                    if count & 1023 == 1023:
                        run.check()
            except OSError:
                return names
        return names

    def _exists(self, path: str) -> bool:
        try:
            self.run.sandbox.stat(path, follow=False)
        except OSError:
            return False
        return True

    def _is_directory(self, path: str) -> bool:
        try:
            return (self.run.sandbox.stat(path).st_mode & 0o170000) == 0o040000
        except OSError:
            return False
