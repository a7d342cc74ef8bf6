"""The examples in docstrings."""

import doctest
import importlib
import pkgutil

import pytest

import kane

MODULES = ["kane"] + ["kane." + m.name for m in pkgutil.iter_modules(kane.__path__) if m.name != "_kane"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.failed == 0


def test_everything_public_is_explained():
    missing = [name for name in dir(kane) if not name.startswith("_") and callable(getattr(kane, name))
               and not (getattr(kane, name).__doc__ or "").strip()]
    assert missing == []
