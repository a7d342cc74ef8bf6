"""Linear equations of small motions, in symbols, about a point."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _kane
from .errors import ModelError
from .expr import Expr
from .matrices import Column, Matrix
from .vectors import is_dynamic

__all__ = ["linearize_rates"]


def _point(op_point: Any) -> Dict[Expr, Any]:
    points = [] if op_point is None else [op_point] if isinstance(op_point, Mapping) else list(op_point)
    values: Dict[Expr, Any] = {}
    for one in points:
        if not isinstance(one, Mapping):
            raise TypeError(f"op_point is a dict, or a list of these, not {op_point!r}")
        values.update(one)
    return values


def _follow(constraints: Sequence[Expr], dependent: Sequence[Expr], rest: Sequence[Expr], known: List[List[Any]],
            at: Mapping) -> List[List[Any]]:
    """Changes of the dependent variables by those of the free ones: C_d d_dep = -C_rest d_rest, where the rest changes by `known`."""
    block = [c.diff(x).subs(at) for c in constraints for x in dependent]
    side = [[c.diff(x).subs(at) for x in rest] for c in constraints]
    columns = []
    for k in range(len(known[0]) if known else 0):
        right = []
        for row in side:
            total: Any = _kane.number(0)
            for entry, change in zip(row, known):
                total = total - entry * change[k]
            right.append(total)
        columns.append(_kane.solve(block, right))
    return [list(row) for row in zip(*columns)]


def linearize_rates(q: List[Expr], u: List[Expr], independent_q: int, independent_u: int, rates: List[Expr],
                    configuration: Sequence[Expr], velocity: Sequence[Expr], op_point: Any,
                    inputs: Optional[Sequence[Expr]]) -> Tuple[Matrix, Matrix, Column]:
    """Of x' = rates(x, r) under constraints: A, B, r for x = (independent q, independent u)."""
    at = _point(op_point)
    if len(q) > independent_q and len(configuration) != len(q) - independent_q:
        raise ModelError(f"{len(q) - independent_q} dependent coordinates need as many configuration constraints, not {len(configuration)}")
    states = q + u
    free = independent_q + independent_u

    def unit(place: int) -> List[Any]:
        return [_kane.number(int(k == place)) for k in range(free)]
    change = [unit(i) for i in range(independent_q)]
    if len(q) > independent_q:
        change += _follow(configuration, q[independent_q:], q[:independent_q], change, at)
    change += [unit(independent_q + i) for i in range(independent_u)]
    if len(u) > independent_u:
        change += _follow(velocity, u[independent_u:], q + u[:independent_u], change, at)
    kept = [rates[i] for i in range(independent_q)] + [rates[len(q) + i] for i in range(independent_u)]
    if inputs is None:
        names = {s.name: s for e in kept for s in e.free_symbols_list() if is_dynamic(s) and s not in states}
        inputs = [names[name] for name in sorted(names)]
    a, b = [], []
    for e in kept:
        slopes = [e.diff(x).subs(at) for x in states]
        row = []
        for k in range(free):
            total: Any = _kane.number(0)
            for slope, by in zip(slopes, change):
                total = slope * by[k] + total
            row.append(total)
        a.append(row)
        b.append([e.diff(r).subs(at) for r in inputs])
    return Matrix(a), Matrix(b), Column(list(inputs))
