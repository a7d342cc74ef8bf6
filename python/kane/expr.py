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
import re
from typing import Any, Iterable, List, Tuple, Union

import numpy as np

from . import _kane
from .function import CompiledFunction

Expr = _kane.Expr
Number = Union[int, float]
ExprLike = Union[Expr, Number]

__all__ = ["Expr", "symbols", "Symbol", "parse", "number", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh",
           "tanh", "exp", "log", "sqrt", "sign", "floor", "select", "minimum", "maximum", "Abs", "simplify", "trigsimp", "Rational", "S", "pi"]


def Symbol(name: str, **assumptions: Any) -> Expr:
    """The symbol of this name. The same name is always the same symbol. Assumptions (``positive=True``) are not needed."""
    return _kane.symbol(name)


def symbols(names: Union[str, Iterable[str]], **assumptions: Any) -> Any:
    """Symbols by name, separated by spaces or commas; ``q1:4`` is q1, q2, q3. One name gives a symbol; several names, ranges and a
    trailing comma give a tuple, as in SymPy. Assumptions (``positive=True``) are not needed.

    >>> from kane import symbols
    >>> symbols("x"), symbols("x,"), symbols("m:2 a:c")
    (x, (x,), (m0, m1, a, b, c))
    """
    if not isinstance(names, str):
        return tuple(symbols(name) if isinstance(name, str) else name for name in names)
    several = names.rstrip().endswith(",")
    found: List[Expr] = []
    words = names.replace(",", " ").split()
    for word in words:
        several = several or ":" in word
        found.extend(Symbol(name) for name in (_range(word) if ":" in word else [word]))
    return found[0] if len(found) == 1 and not several else tuple(found)


def _range(word: str) -> List[str]:
    """q1:4 is q1, q2, q3; q:2 is q0, q1; a:c is a, b, c; x(1:3) is x1, x2."""
    numbered = re.fullmatch(r"(.*?)(\d*):(\d+)", word.replace("(", "").replace(")", ""))
    if numbered:
        stem, first, last = numbered.groups()
        return [f"{stem}{i}" for i in range(int(first or 0), int(last))]
    lettered = re.fullmatch(r"(.*?)([A-Za-z]):([A-Za-z])", word.replace("(", "").replace(")", ""))
    if not lettered:
        raise ValueError(f"'{word}' is no range of names: write q1:4 or a:c")
    stem, first, last = lettered.groups()
    return [f"{stem}{chr(i)}" for i in range(ord(first), ord(last) + 1)]


def parse(text: str) -> Expr:
    """An expression from text, with units: ``parse("2 m + 3 cm")``."""
    return _kane.parse(text)


def number(value: Any) -> Expr:
    """An exact number: 0.1 is 1/10."""
    return _kane.number(value)


def Rational(p: Any, q: int = 1) -> Expr:
    """The exact number p/q: ``Rational(1, 3)``."""
    return _kane.number(p) / _kane.number(q)


def S(value: Any) -> Expr:
    """An exact number as an expression: ``S(1)/3``."""
    return value if isinstance(value, Expr) else _kane.number(value)


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
    """With symbols replaced: ``subs({x: 2})``, ``subs(x, 2)``; a list of pairs is worked through in its order, as in SymPy."""
    if len(given) == 2:
        return _substitute(self, {given[0]: given[1]})
    if len(given) != 1:
        raise TypeError("subs() takes a dict, a list of pairs, or a symbol and its value")
    if hasattr(given[0], "keys"):
        return _substitute(self, dict(given[0]))
    for symbol, value in given[0]:
        self = _substitute(self, {symbol: value})
    return self


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


trigsimp = simplify


def _has(self: Expr, *symbols: Any) -> bool:
    """Whether one of these symbols occurs."""
    return not self.free_symbols.isdisjoint(symbols)


def _count_ops(self: Expr, **_: Any) -> int:
    """Operations of one evaluation, common parts counted once."""
    return self.operations


Expr.subs = Expr.xreplace = _subs
Expr.simplify = Expr.expand = Expr.trigsimp = Expr.doit = Expr.factor = Expr.cancel = Expr.together = _itself
Expr.has, Expr.count_ops = _has, _count_ops
# NumPy calls these for arrays of expressions: np.sin(a).
for _name, _function in {"sin": sin, "cos": cos, "tan": tan, "arcsin": asin, "arccos": acos, "arctan": atan, "sinh": sinh,
                         "cosh": cosh, "tanh": tanh, "exp": exp, "log": log, "sqrt": sqrt, "arctan2": atan2, "sign": sign}.items():
    setattr(Expr, _name, _function)
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
