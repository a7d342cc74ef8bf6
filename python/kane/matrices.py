"""Matrices of expressions, as lists of rows that also answer to what SymPy's matrices are asked.

>>> from kane import Matrix, symbols
>>> x, y = symbols("x y")
>>> M = Matrix([[x, x*y], [0, y]])
>>> M[0, 1], M.shape
(x*y, (2, 2))
>>> M.jacobian([x]) if M.shape[1] == 1 else M.diff(x)
[[1, y], [0, 0]]
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Sequence, Tuple

from . import _kane
from .expr import Expr

__all__ = ["Matrix", "Column"]


def _entry(value: Any) -> Expr:
    return value if isinstance(value, Expr) else _kane.number(value)


def _latex(rows: Iterable[Iterable[Any]]) -> str:
    return "\\left[\\begin{matrix}" + "\\\\".join(" & ".join(_entry(e).latex() for e in row) for row in rows) + "\\end{matrix}\\right]"


def _times(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> List[List[Any]]:
    if a and len(a[0]) != len(b):
        raise ValueError(f"matrices of {len(a)} x {len(a[0])} and {len(b)} x {len(b[0]) if b else 0} cannot be multiplied")
    columns = list(zip(*b))
    result = []
    for row in a:
        line = []
        for column in columns:
            total: Any = 0
            for x, y in zip(row, column):
                total = _entry(x) * y + total
            line.append(_entry(total))
        result.append(line)
    return result


class _Entries(list):
    """What matrices and columns have in common; ``_rows`` gives the rows, ``_like`` makes one from rows."""

    def _rows(self) -> List[List[Any]]:
        raise NotImplementedError

    def _like(self, rows: List[List[Any]]) -> "_Entries":
        raise NotImplementedError

    @property
    def shape(self) -> Tuple[int, int]:
        rows = self._rows()
        return len(rows), len(rows[0]) if rows else 0

    @property
    def rows(self) -> int:
        return self.shape[0]

    @property
    def cols(self) -> int:
        return self.shape[1]

    @property
    def T(self) -> "Matrix":
        return Matrix([list(column) for column in zip(*self._rows())])

    def transpose(self) -> "Matrix":
        return self.T

    @property
    def free_symbols(self) -> set:
        return {s for row in self._rows() for e in row if isinstance(e, Expr) for s in e.free_symbols}

    def applyfunc(self, work: Callable) -> Any:
        return self._like([[work(_entry(e)) for e in row] for row in self._rows()])

    def subs(self, *given: Any) -> Any:
        """With symbols replaced: ``subs({x: 2})``, ``subs(x, 2)``."""
        return self.applyfunc(lambda e: e.subs(*given))

    xreplace = subs

    def diff(self, *variables: Any) -> Any:
        """Derivative of every entry."""
        return self.applyfunc(lambda e: e.diff(*variables))

    def simplify(self) -> None:
        """Does nothing: equal expressions are one node."""

    def doit(self) -> Any:
        return self

    def tolist(self) -> List[List[Any]]:
        return [list(row) for row in self._rows()]

    def evalf(self, *_: Any, **__: Any) -> Any:
        return self.applyfunc(lambda e: e.evalf())

    def latex(self) -> str:
        return _latex(self._rows())

    def _repr_latex_(self) -> str:
        return "$\\displaystyle " + self.latex() + "$"

    def _plus(self, other: Any, sign: int) -> Any:
        mine, theirs = self._rows(), _rows_of(other)
        if len(mine) != len(theirs) or any(len(a) != len(b) for a, b in zip(mine, theirs)):
            raise ValueError("matrices of different shapes cannot be added")
        return self._like([[_entry(x) + _entry(y) * sign for x, y in zip(a, b)] for a, b in zip(mine, theirs)])

    def __add__(self, other: Any) -> Any:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1)

    def __neg__(self) -> Any:
        return self.applyfunc(lambda e: -e)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (list, tuple)):
            return self @ other
        return self.applyfunc(lambda e: e * other)

    def __rmul__(self, other: Any) -> Any:
        return self.applyfunc(lambda e: e * other)

    def __truediv__(self, other: Any) -> Any:
        return self.applyfunc(lambda e: e / other)

    def __matmul__(self, other: Any) -> Any:
        product = _times(self._rows(), _rows_of(other))
        return Column([row[0] for row in product]) if product and len(product[0]) == 1 else Matrix(product)

    def __reduce__(self) -> Any:
        return type(self), (list(self),)


def _rows_of(value: Any) -> List[List[Any]]:
    if isinstance(value, _Entries):
        return value._rows()
    rows = value.tolist() if hasattr(value, "tolist") else list(value)
    return [list(row) if isinstance(row, (list, tuple)) else [row] for row in rows]


class Matrix(_Entries):
    """Rows of expressions: ``M[i]`` is a row, ``M[i, j]`` an entry."""

    def __init__(self, rows: Any = ()) -> None:
        super().__init__([_entry(e) for e in row] for row in _rows_of(rows))
        if any(len(row) != len(self[0]) for row in self):
            raise ValueError("the rows of a matrix differ in length")

    def _rows(self) -> List[List[Any]]:
        return [list(row) for row in self]

    def _like(self, rows: List[List[Any]]) -> "Matrix":
        return Matrix(rows)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, tuple):
            return super().__getitem__(place)
        i, j = place
        if isinstance(i, slice) or isinstance(j, slice):
            rows = super().__getitem__(i) if isinstance(i, slice) else [super().__getitem__(i)]
            return Matrix([row[j] if isinstance(j, slice) else [row[j]] for row in rows])
        return super().__getitem__(i)[j]

    def LUsolve(self, right: Any) -> "Column":
        """x of M x = right, in symbols."""
        rows = self._rows()
        b = [e for row in _rows_of(right) for e in row]
        if any(len(row) != len(rows) for row in rows) or len(b) != len(rows):
            raise ValueError(f"a matrix of {self.shape[0]} x {self.shape[1]} and {len(b)} right-hand sides")
        return Column(_kane.solve([e for row in rows for e in row], b))

    solve = LUsolve

    def inv(self) -> "Matrix":
        """The inverse, in symbols."""
        n = len(self)
        columns = [self.LUsolve([int(i == k) for i in range(n)]) for k in range(n)]
        return Matrix([list(row) for row in zip(*columns)])


class Column(_Entries):
    """A column of expressions: ``c[i]`` and ``c[i, 0]`` are the same entry."""

    def __init__(self, entries: Any = ()) -> None:
        entries = [e for row in _rows_of(entries) for e in row]
        super().__init__(_entry(e) for e in entries)

    def _rows(self) -> List[List[Any]]:
        return [[e] for e in self]

    def _like(self, rows: List[List[Any]]) -> "Column":
        return Column([row[0] for row in rows])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, tuple):
            if place[1] not in (0, -1, slice(None)):
                raise IndexError("a column has one column")
            place = place[0]
        return super().__getitem__(place)

    def jacobian(self, variables: Any) -> Matrix:
        """Derivatives of the entries with respect to the variables."""
        by = [e for row in _rows_of(variables) for e in row]
        return Matrix([[e.diff(x) for x in by] for e in self])
