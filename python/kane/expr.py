"""Expressions: exact, interned, differentiable, compiled on request.

>>> from kane import symbols, sin, cos
>>> x, y = symbols("x y")
>>> sin(x)**2 + cos(x)**2
1
>>> (x**2 * y).diff(x)
2*x*y
"""

from __future__ import annotations

import builtins
from typing import Any, Iterable, List, Tuple, Union

import numpy as np

from . import _kane
from .function import CompiledFunction

Expr = _kane.Expr
Number = Union[int, float]
ExprLike = Union[Expr, Number]

__all__ = ["Expr", "symbols", "Symbol", "parse", "number", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
           "tanh", "exp", "log", "sqrt", "sign", "floor", "select", "minimum", "maximum", "Abs", "simplify", "pi"]


def Symbol(name: str, **assumptions: Any) -> Expr:
    """The symbol of this name. The same name is always the same symbol. Assumptions (``positive=True``) are not needed."""
    return _kane.symbol(name)


def symbols(names: Union[str, Iterable[str]], **assumptions: Any) -> Any:
    """Symbols by name, separated by spaces or commas; ``q1:4`` is q1, q2, q3. Assumptions (``positive=True``) are not needed."""
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    found: List[Expr] = []
    for name in names:
        if ":" in name:
            first, last = name.split(":")
            stem = first.rstrip("0123456789")
            begin = int(first[len(stem):] or 0)
            found.extend(Symbol(f"{stem}{i}") for i in range(begin, int(last)))
        else:
            found.append(Symbol(name))
    return found[0] if len(found) == 1 else tuple(found)


def parse(text: str) -> Expr:
    """An expression from text, with units: ``parse("2 m + 3 cm")``."""
    return _kane.parse(text)


def number(value: Any) -> Expr:
    """An exact number: 0.1 is 1/10."""
    return _kane.number(value)


def _unary(name: str) -> Any:
    def function(x: ExprLike) -> Expr:
        return _kane.call(name, x)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}(x) of an expression."
    return function


sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")
asin, acos, atan = _unary("asin"), _unary("acos"), _unary("atan")
sinh, cosh, tanh = _unary("sinh"), _unary("cosh"), _unary("tanh")
exp, log, sqrt = _unary("exp"), _unary("log"), _unary("sqrt")
sign, floor = _unary("sign"), _unary("floor")


def atan2(y: ExprLike, x: ExprLike) -> Expr:
    """The angle of the point (x, y)."""
    return _kane.call("atan2", y, x)


def minimum(a: ExprLike, b: ExprLike) -> Expr:
    """The smaller of two expressions."""
    return _kane.call("min", a, b)


def maximum(a: ExprLike, b: ExprLike) -> Expr:
    """The larger of two expressions."""
    return _kane.call("max", a, b)


def Abs(x: ExprLike) -> Expr:
    """The absolute value of an expression."""
    return _kane.call("abs", x)


def select(condition: ExprLike, a: ExprLike, b: ExprLike) -> Expr:
    """``a`` where the condition (``x < y``) holds, else ``b``."""
    return _kane.call("select", condition, a, b)


def __getattr__(name: str) -> Any:
    if name == "pi":  # made on request, so that importing Kane begins no graph
        return _kane.parse("pi")
    raise AttributeError(f"module 'kane.expr' has no attribute '{name}'")


def _free_symbols(self: Expr) -> builtins.set:
    """The symbols that an expression contains."""
    return set(self.free_symbols_list())


def _repr_latex_(self: Expr) -> str:
    return "$\\displaystyle " + self.latex() + "$"


_substitute = Expr.subs


def _subs(self: Expr, *given: Any) -> Expr:
    """With symbols replaced: ``subs({x: 2})``, ``subs(x, 2)``, ``subs([(x, 2)])``."""
    if len(given) == 2:
        return _substitute(self, {given[0]: given[1]})
    if len(given) != 1:
        raise TypeError("subs() takes a dict, a list of pairs, or a symbol and its value")
    return _substitute(self, given[0] if isinstance(given[0], dict) else dict(given[0]))


def _itself(self: Expr, *_: Any, **__: Any) -> Expr:
    """The expression itself: equal expressions are one node, and printing finds the short form."""
    return self


def _evalf(self: Expr, n: int = 15, subs: Any = None, **_: Any) -> Any:
    """The number, if all symbols are replaced; otherwise the expression."""
    e = self if subs is None else self.subs(subs)
    return float(e) if not e.free_symbols_list() else e


def simplify(expression: Any, **_: Any) -> Any:
    """The expression itself; for programs that were written for SymPy."""
    return expression


Expr.subs = Expr.xreplace = _subs
Expr.simplify = Expr.expand = Expr.trigsimp = Expr.doit = _itself
Expr.evalf = Expr.n = _evalf
Expr.free_symbols = property(_free_symbols)
Expr._repr_latex_ = _repr_latex_


# ---- compiling -------------------------------------------------------------------------------------------------------

def flatten(value: Any) -> Tuple[List[Any], Tuple[int, ...]]:
    """The entries of an expression, list or nested list, and its shape."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
        parts = [flatten(v) for v in value]
        if not parts:
            return [], (0,)
        if any(shape != parts[0][1] for _, shape in parts):
            raise ValueError("the rows of a list of expressions differ in length")
        return [e for entries, _ in parts for e in entries], (len(parts), *parts[0][1])
    return [value], ()


def compile_expressions(expressions: Any, arguments: Any, threads: int = 0) -> CompiledFunction:
    """Machine code for Kane's expressions; see :func:`kane.compile`."""
    outputs, shape = flatten(expressions)
    groups = arguments if isinstance(arguments, (list, tuple)) else [arguments]
    described, names = [], []
    for group in groups:
        entries, group_shape = flatten(group)
        for e in entries:
            if not isinstance(e, Expr) or not e.is_symbol:
                raise TypeError(f"arguments must be symbols, not {e!r}")
            names.append(e.name)
        described.append(_kane.Argument(names[-1] if group_shape == () else str([e.name for e in entries]), list(group_shape)))
    code = _kane.compile(outputs, described, names)
    return CompiledFunction(code, [shape], single=True, threads=threads,
                            source=(compile_expressions, (expressions, arguments), {"threads": threads}))
