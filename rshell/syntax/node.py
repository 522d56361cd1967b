"""The base of the syntax tree's nodes: immutable records that are cheap to define and to make.

They are declared like frozen dataclasses, and are tuples underneath. dataclasses would generate and
compile code for every class each time the package is imported, a third of the shell's start-up.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True, eq_default=True)
class _NodeType(type):
    """Turns the annotated names of a class into its fields, in order."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        fields = tuple(namespace.get("__annotations__", ()))
        defaults = tuple(namespace.pop(field) for field in fields if field in namespace)
        namespace["__slots__"] = ()
        namespace["__match_args__"] = fields
        namespace["_defaults"] = defaults
        namespace["_required"] = len(fields) - len(defaults)
        for position, field in enumerate(fields):
            namespace[field] = property(itemgetter(position))
        return super().__new__(mcs, name, bases, namespace)


class Node(tuple[Any, ...], metaclass=_NodeType):
    """A record with named, read-only fields. Equal to one of its own type with equal fields."""

    __match_args__: ClassVar[tuple[str, ...]]
    _defaults: ClassVar[tuple[Any, ...]]
    _required: ClassVar[int]

    def __new__(cls, *values: Any, **named: Any) -> Any:
        if named:
            values = cls._named(values, named)
        missing = len(cls.__match_args__) - len(values)
        if missing:
            if missing < 0 or len(values) < cls._required:
                raise TypeError(f"{cls.__name__} takes {cls.__match_args__}")
            values += cls._defaults[-missing:]
        return tuple.__new__(cls, values)

    @classmethod
    def _named(cls, values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        rest = cls.__match_args__[len(values) :]
        filled = dict(zip(cls.__match_args__[cls._required :], cls._defaults, strict=True)) | named
        if not named.keys() <= set(rest) or not filled.keys() >= set(rest):
            raise TypeError(f"{cls.__name__} takes {cls.__match_args__}")
        return values + tuple(filled[name] for name in rest)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), tuple.__hash__(self)))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._items())
        return f"{type(self).__name__}({fields})"

    def _items(self) -> Iterator[tuple[str, Any]]:
        return zip(self.__match_args__, self, strict=True)
