#!/usr/bin/env python3
"""The runs that a page of results replays end where the store says they ended. Arguments: the kane command, the folder of models."""

import base64
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

KANE, MODELS = sys.argv[1:3]


def replays(page):
    with open(page, encoding="utf-8") as file:
        text = re.search(r"^const R=(\{.*?\});$", file.read(), re.M | re.S).group(1)
    return json.loads(text)


def signal(replay, shared, name):
    found = next(s for s in replay["signals"] if s["name"] == name)
    data = found["data"] if isinstance(found["data"], str) else shared[found["data"]["shared"]]
    data = base64.b64decode(data)
    return struct.unpack(f"<{len(data) // 8}d", data)


def main():
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "fourbar.yaml")
        shutil.copy(os.path.join(MODELS, "fourbar.yaml"), model)
        store, page = os.path.join(folder, "s.db"), os.path.join(folder, "s.html")
        run = lambda *words: subprocess.run([KANE, *words], check=True, capture_output=True, text=True).stdout
        run("sweep", model, "--set", "tau=1", "--vary", "l1~normal(0.3, 0.01)", "--vary", "u1=1..3", "--runs", "30",
            "--vary", "run.method={dop853, dopri5}", "--measure", "last=end(q1)", "--measure", "m=max(u1)",
            "--until", "0.5", "--tolerance", "1e-9", "--out", store)
        # Words have no order, so no correlation: each has its own mean.
        shown = json.loads(run("results", store, "--json"))["measures"]["last"]
        assert sorted(shown["correlation"]) == ["l1", "u1"], shown
        with sqlite3.connect(store) as db:
            for word, count, mean in db.execute('SELECT "run.method", count(*), avg(last) FROM runs GROUP BY 1'):
                found = shown["choices"]["run.method"][word]
                assert found["count"] == count and abs(found["mean"] - mean) < 1e-12, found
        assert "last: run.method" in run("results", store)
        run("results", store, "--page", page, "--replays", "12")
        r = replays(page)
        assert len(r["runs"]) == 12, r["note"]
        with sqlite3.connect(store) as db:
            last = dict(db.execute("SELECT k, last FROM runs"))
            columns = {name: dict(db.execute(f"SELECT k, {name} FROM runs")) for name in ("last", "m")}
        for name, values in columns.items():
            shown = [values[int(k)] for k in r["runs"]]
            assert min(shown) == min(values.values()) and max(shown) == max(values.values()), f"extremes of {name}"
        for k, replay in r["runs"].items():
            q = signal(replay, r["shared"], "q1")
            assert abs(q[-1] - last[int(k)]) < 1e-6, (k, q[-1], last[int(k)])
        assert r["mark"] in r["frame"]
        # A model that was changed has no replays, and the page says why.
        with open(model, "a", encoding="utf-8") as file:
            file.write("outputs: {twice: 2*q1}\n")
        run("results", store, "--page", page)
        r = replays(page)
        assert not r["runs"] and "changed" in r["note"], r["note"]
    print("replays agree with the store")


main()
