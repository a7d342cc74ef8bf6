"""Errors, as Python exceptions."""

from __future__ import annotations

from typing import Any, Optional

from . import _kane

__all__ = ["ModelError", "LimitError", "InternalError", "RunError"]


class ModelError(ValueError):
    """The model, or something passed with it, is wrong.

    ``message`` is the sentence; ``file``, ``line`` and ``column`` give the place, as far as it is known.

    >>> import kane
    >>> try:
    ...     kane.loads("kane: 1\\nbodies: {A: {mas: 1 kg}}\\njoints: {j: {type: revolute, parent: N, child: A}}")
    ... except kane.ModelError as error:
    ...     print(error.line, error.column)
    2 14
    """

    def __init__(self, message: str, file: Optional[str] = None, line: Optional[int] = None,
                 column: Optional[int] = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: error: {message}" if place else message)
        self.message, self.file, self.line, self.column = message, file, line, column

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.file, self.line, self.column)


class LimitError(ModelError):
    """A limit that protects against unbounded time or memory was reached; the message names it."""


class InternalError(RuntimeError):
    """A bug in Kane. Please report it with the model."""


class RunError(RuntimeError):
    """A run, a search or a fit could not be completed. ``result`` has the results so far."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.result)


_kane.set_errors(ModelError, LimitError, InternalError)
