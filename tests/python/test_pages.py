"""The programs of the pages about Python run as they stand."""

import os
import re
from pathlib import Path

import pytest

DOCS = Path(os.environ.get("KANE_SOURCE_DIR", Path(__file__).resolve().parents[2])) / "docs"


@pytest.mark.parametrize("page", ["python.md", "python-sympy.md"])
def test_programs(page, monkeypatch, tmp_path):
    pytest.importorskip("sympy")
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 3
    for block in blocks:
        exec(compile(block, page, "exec"), names)
