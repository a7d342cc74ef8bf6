#!/usr/bin/env python3
"""The same study on 1, 2 and 4 ranks, and after a rank was killed. Arguments: the kane command, the folder of models."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

KANE, MODELS = sys.argv[1:3]
ENV = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
           OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")


def command(store, runs):
    return [KANE, "sweep", os.path.join(MODELS, "damped_pendulum.yaml"), "--vary", "l=0.4..0.6", "--runs", str(runs),
            "--measure", "max(q)", "--measure", "end(u)", "--method", "rk4", "--step", "0.01", "--until", "1", "--strict",
            "--threads", "1", "--out", store]


def rows(store):
    with sqlite3.connect(store) as db:
        return [row[:2] + row[3:] for row in db.execute("SELECT * FROM runs ORDER BY k")]


def wait_for_rows(store, count):
    """Until a sweep has written so many rows; at most a minute."""
    for _ in range(600):
        time.sleep(0.1)
        try:
            with sqlite3.connect(store) as db:
                if db.execute("SELECT count(*) FROM runs").fetchone()[0] >= count:
                    return
        except sqlite3.OperationalError:  # not there yet
            continue
    raise AssertionError(f"{store} does not get {count} rows")


def main():
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        print("mpirun is not installed: nothing to test")
        return
    with tempfile.TemporaryDirectory() as folder:
        alone = os.path.join(folder, "alone.db")
        subprocess.run(command(alone, 4000), check=True, stdout=subprocess.DEVNULL)
        expected = rows(alone)
        assert len(expected) == 4000
        for ranks in (2, 4):
            store = os.path.join(folder, f"ranks{ranks}.db")
            subprocess.run([mpirun, "-n", str(ranks)] + command(store, 4000), check=True, env=ENV, timeout=120,
                           stdout=subprocess.DEVNULL)
            assert rows(store) == expected, f"{ranks} ranks give other results"
        # A rank that dies ends the job; the same command continues.
        store = os.path.join(folder, "killed.db")
        runs = 60000  # enough that the job is still at work when the rank dies
        subprocess.run(command(alone, runs), check=True, stdout=subprocess.DEVNULL)
        expected = rows(alone)
        job = subprocess.Popen([mpirun, "-n", "3"] + command(store, runs), env=ENV, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        wait_for_rows(store, 500)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], capture_output=True, text=True).stdout.split()
        assert children, "the job ended before a rank could be killed"
        os.kill(int(children[-1]), signal.SIGKILL)
        assert job.wait(timeout=120) != 0, "the job did not notice the loss of a rank"
        kept = len(rows(store))
        assert kept < runs, "the job was complete before the rank died"
        subprocess.run([mpirun, "-n", "3"] + command(store, runs), check=True, env=ENV, timeout=120, stdout=subprocess.DEVNULL)
        print(f"{kept} of {runs} runs were kept when a rank was killed")
        assert rows(store) == expected, "a killed rank has changed the results"
    print("1, 2 and 4 ranks agree")


main()
