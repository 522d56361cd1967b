"""Comparing two lists of lines: the longest common subsequence in linear space, as GNU diff finds it.

The algorithm is E. Myers's ("An O(ND) Difference Algorithm and Its Variations", 1986) with the divide and
conquer of its linear-space refinement. Two things of GNU diff's are kept, because they decide which of
several minimal answers is shown: lines without a match on the other side (and some that match too often to
tell anything) are set aside beforehand, and runs of changes are moved as far down as they go, or to
where the other file changes too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MANY = 5  # a line that occurs oftener on the other side, times a measure of the length, tells little
_PATIENCE = 4096  # edits after which the best way so far is taken for good
_FAR = 1 << 62


class Change:
    """A run of changes: old lines from line0 on are deleted, new ones from line1 on are inserted."""

    __slots__ = ("deleted", "ignored", "inserted", "line0", "line1")

    def __init__(self, line0: int, line1: int, deleted: int, inserted: int) -> None:
        self.line0 = line0
        self.line1 = line1
        self.deleted = deleted
        self.inserted = inserted
        self.ignored = False


def compare(
    old: Sequence[bytes], new: Sequence[bytes], first: int, check: Callable[[], None], *, minimal: bool
) -> list[Change]:
    """The changes from old to new, whose numbers count from first on; check() is called now and then."""
    table: dict[bytes, int] = {}
    intern = table.setdefault
    ids = ([intern(line, len(table)) for line in old], [intern(line, len(table)) for line in new])
    check()
    kept = (list(range(len(old))), list(range(len(new))))
    changed = (bytearray(len(old) + 1), bytearray(len(new) + 1))  # one more: before the first and behind the last
    if not minimal:
        counts = (Counter(ids[0]), Counter(ids[1]))
        for side in (0, 1):
            marks = _discards(ids[side], counts[1 - side], len(table))
            if any(marks):
                kept[side][:] = [at for at, mark in enumerate(marks) if not mark]
                changed[side][: len(marks)] = marks
    check()
    mine = ([ids[0][at] for at in kept[0]], [ids[1][at] for at in kept[1]])
    _Search(mine, kept, changed, check, minimal=minimal).run()
    for side in (0, 1):
        _shift(ids[side], changed[side], changed[1 - side], check)
    return _script(changed, first)


def _discards(ids: list[int], counts: Counter[int], classes: int) -> bytearray:
    """Which lines not to compare: 1 for each."""
    many = _MANY
    rest = len(ids) // 64 >> 2
    while rest > 0:
        many *= 2
        rest >>= 2
    kinds = bytearray(b"\1") * classes  # by class: 1 without a match, 2 with too many, 0 else
    for number, count in counts.items():
        kinds[number] = 2 if count > many else 0
    marks = bytearray(map(kinds.__getitem__, ids))
    at = 0
    end = len(marks)
    while at < end:
        start = marks.find(1, at)
        if start < 0:
            start = end
        if 2 in marks[at:start]:
            marks[at:start] = bytes(start - at)  # too frequent lines stay where no unmatched one stands before
        if start == end:
            break
        stop = marks.find(0, start)
        at = _run(marks, start, end if stop < 0 else stop)
    return marks.replace(b"\2", b"\1")


def _run(marks: bytearray, start: int, stop: int) -> int:
    """Decide on the frequent lines of a run that begins with an unmatched one; return where to go on."""
    run = marks[start:stop]
    kept_length = len(run.rstrip(b"\2"))
    run[kept_length:] = bytes(len(run) - kept_length)
    length = kept_length
    frequent = run.count(2)
    if frequent * 4 > length:
        marks[start:stop] = run.replace(b"\2", b"\0")
        return stop
    if frequent:
        _thin(run, length)
    marks[start:stop] = run
    return stop


def _thin(run: bytearray, length: int) -> None:
    """Keep for comparing those frequent lines that stand in numbers, or near the ends of the run."""
    least = 1
    rest = length >> 2 >> 2
    while rest > 0:
        least <<= 1
        rest >>= 2
    least += 1
    at = 0
    while at < length:
        if run[at] != 2:
            at += 1
            continue
        behind = at
        while behind < length and run[behind] == 2:
            behind += 1
        if behind - at >= least:
            run[at:behind] = bytes(behind - at)
        at = behind
    for order in (range(length), range(length - 1, -1, -1)):
        in_a_row = 0
        for count, at in enumerate(order):
            if count >= 8 and run[at] == 1:
                break
            if run[at] == 1:
                in_a_row += 1
                if in_a_row == 3:
                    break
            else:
                in_a_row = 0
                run[at] = 0


class _Search:
    """Finds the middle of a shortest way through the grid of both lists, and goes on with both halves."""

    def __init__(
        self,
        lists: tuple[list[int], list[int]],
        numbers: tuple[list[int], list[int]],
        changed: tuple[bytearray, bytearray],
        check: Callable[[], None],
        *,
        minimal: bool,
    ) -> None:
        self.old, self.new = lists
        self.numbers = numbers
        self.changed = changed
        self.check = check
        self.minimal = minimal
        diagonals = len(self.old) + len(self.new) + 3
        # diagonals are numbered x - y, from -len(new) - 1 on
        self.base = len(self.new) + 1
        self.forward = [0] * diagonals
        self.backward = [0] * diagonals
        patience = 1
        while diagonals:
            patience <<= 1
            diagonals >>= 2
        self.patience = max(_PATIENCE, patience)

    def run(self) -> None:
        """Mark what is changed."""
        todo = [(0, len(self.old), 0, len(self.new), self.minimal)]
        old, new = self.old, self.new
        while todo:
            self.check()
            left, right, top, bottom, minimal = todo.pop()
            same = _same_ahead(old, left, right, new, top, bottom)
            left += same
            top += same
            same = _same_behind(old, left, right, new, top, bottom)
            right -= same
            bottom -= same
            if left == right:
                self.mark(1, top, bottom)
            elif top == bottom:
                self.mark(0, left, right)
            else:
                x, y, first_minimal, second_minimal = self.middle(left, right, top, bottom, minimal)
                todo.append((x, right, y, bottom, second_minimal))
                todo.append((left, x, top, y, first_minimal))

    def mark(self, side: int, start: int, stop: int) -> None:
        changed = self.changed[side]
        for number in self.numbers[side][start:stop]:
            changed[number] = 1

    def middle(self, left: int, right: int, top: int, bottom: int, minimal: bool) -> tuple[int, int, bool, bool]:
        """A point on a shortest way (or a good one, when that takes too long), and whether to look for
        shortest ways before and behind it."""
        old, new, base = self.old, self.new, self.base
        forward, backward = self.forward, self.backward
        lowest, highest = left - bottom, right - top
        middle_forward, middle_backward = left - top, right - bottom
        f_low = f_high = middle_forward
        b_low = b_high = middle_backward
        odd = (middle_forward - middle_backward) & 1
        forward[base + middle_forward] = left
        backward[base + middle_backward] = right
        cost = 0
        while True:
            cost += 1
            if not cost & 15:
                self.check()
            if f_low > lowest:
                f_low -= 1
                forward[base + f_low - 1] = -1
            else:
                f_low += 1
            if f_high < highest:
                f_high += 1
                forward[base + f_high + 1] = -1
            else:
                f_high -= 1
            for diagonal in range(f_high, f_low - 1, -2):
                at = base + diagonal
                below, above = forward[at - 1], forward[at + 1]
                x = above if below < above else below + 1
                y = x - diagonal
                if x < right and y < bottom and old[x] == new[y]:
                    x += _same_ahead(old, x, right, new, y, bottom)
                forward[at] = x
                if odd and b_low <= diagonal <= b_high and backward[at] <= x:
                    return x, x - diagonal, True, True
            if b_low > lowest:
                b_low -= 1
                backward[base + b_low - 1] = _FAR
            else:
                b_low += 1
            if b_high < highest:
                b_high += 1
                backward[base + b_high + 1] = _FAR
            else:
                b_high -= 1
            for diagonal in range(b_high, b_low - 1, -2):
                at = base + diagonal
                below, above = backward[at - 1], backward[at + 1]
                x = below if below < above else above - 1
                y = x - diagonal
                if left < x and top < y and old[x - 1] == new[y - 1]:
                    x -= _same_behind(old, left, x, new, top, y)
                backward[at] = x
                if not odd and f_low <= diagonal <= f_high and x <= forward[at]:
                    return x, x - diagonal, True, True
            if cost >= self.patience and not minimal:
                return self.best(left, right, top, bottom, range(f_high, f_low - 1, -2), range(b_high, b_low - 1, -2))

    def best(
        self, left: int, right: int, top: int, bottom: int, ahead: range, behind: range
    ) -> tuple[int, int, bool, bool]:
        """The point that is farthest from its corner, of all that were reached from either."""
        far, far_x = -1, 0
        for diagonal in ahead:
            x = min(self.forward[self.base + diagonal], right)
            if bottom < x - diagonal:
                x = bottom + diagonal
            if far < 2 * x - diagonal:
                far, far_x = 2 * x - diagonal, x
        near, near_x = _FAR, 0
        for diagonal in behind:
            x = max(left, self.backward[self.base + diagonal])
            if x - diagonal < top:
                x = top + diagonal
            if 2 * x - diagonal < near:
                near, near_x = 2 * x - diagonal, x
        if right + bottom - near < far - (left + top):
            return far_x, far - far_x, True, False
        return near_x, near - near_x, False, True


def _same_ahead(old: list[int], x: int, right: int, new: list[int], y: int, bottom: int) -> int:
    """How many elements are the same from x and y on; slices of growing size find out."""
    most = min(right - x, bottom - y)
    done = 0
    while done < most and done < 8:
        if old[x + done] != new[y + done]:
            return done
        done += 1
    size = 16
    while done < most:
        size = min(size, most - done)
        if old[x + done : x + done + size] == new[y + done : y + done + size]:
            done += size
            size *= 2
        elif size == 1:
            break
        else:
            most = done + size - 1  # one of these differs
            size = max(size // 2, 1)
    return done


def _same_behind(old: list[int], left: int, x: int, new: list[int], top: int, y: int) -> int:
    """How many elements are the same before x and y."""
    most = min(x - left, y - top)
    done = 0
    while done < most and done < 8:
        if old[x - done - 1] != new[y - done - 1]:
            return done
        done += 1
    size = 16
    while done < most:
        size = min(size, most - done)
        if old[x - done - size : x - done] == new[y - done - size : y - done]:
            done += size
            size *= 2
        elif size == 1:
            break
        else:
            most = done + size - 1
            size = max(size // 2, 1)
    return done


def _pass_unchanged(other: bytearray, at: int, count: int) -> int:
    """Go over count unchanged lines, and the changed ones before each."""
    while count:
        next_change = other.find(1, at)
        if next_change < 0 or next_change - at >= count:
            return at + count
        count -= next_change - at
        at = other.find(0, next_change)
    return at


def _shift(ids: list[int], changed: bytearray, other: bytearray, check: Callable[[], None]) -> None:
    """Move runs of changes of one side: down as far as they go, or to where the other side changes too.

    The last byte of changed and other, always 0, stands for what is before the first and behind the last line.
    """
    end = len(ids)
    i = j = 0
    while True:
        check()
        start = changed.find(1, i)
        if start < 0:
            return
        j = _pass_unchanged(other, j, start - i)
        i = changed.find(0, start)
        j = other.find(0, j)
        while True:
            length = i - start
            while start and ids[start - 1] == ids[i - 1]:  # up, joining what is met
                start -= 1
                i -= 1
                changed[start] = 1
                changed[i] = 0
                while start and changed[start - 1]:
                    start -= 1
                j -= 1
                while other[j]:
                    j -= 1
            corresponding = i if other[j - 1] else end
            while i != end and ids[start] == ids[i]:  # and down
                changed[start] = 0
                changed[i] = 1
                start += 1
                i += 1
                while changed[i]:
                    i += 1
                j += 1
                while other[j]:
                    corresponding = i
                    j += 1
            if length == i - start:
                break
        while corresponding < i:
            start -= 1
            i -= 1
            changed[start] = 1
            changed[i] = 0
            j -= 1
            while other[j]:
                j -= 1


def _script(changed: tuple[bytearray, bytearray], first: int) -> list[Change]:
    """The runs of changed lines as changes, in order."""
    old, new = changed
    changes: list[Change] = []
    i = j = 0
    while True:
        next_old, next_new = old.find(1, i), new.find(1, j)
        if next_old < 0 and next_new < 0:
            return changes
        step = min(
            place for place in (next_old - i if next_old >= 0 else _FAR, next_new - j if next_new >= 0 else _FAR)
        )
        i += step
        j += step
        stop_old, stop_new = old.find(0, i), new.find(0, j)
        changes.append(Change(first + i, first + j, stop_old - i, stop_new - j))
        i, j = stop_old, stop_new
