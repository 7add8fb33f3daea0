#!/usr/bin/env python3
"""What touches, on several numbers of ranks and threads: every frame has the same state hash, also where a run goes on
with other ranks, and on several ranks an island of contacts does span them.

usage: touching_ranks.py YMIR SETUP MPIEXEC
"""
import json
import os
import subprocess
import sys
import tempfile

from setup_ranks import ENVIRONMENT


def run(ymir, setup, mpiexec, ranks, threads, out, *more):
    """Whether an island spanned ranks."""
    launcher = [mpiexec, "-n", str(ranks)] if ranks else []
    done = subprocess.run(launcher + [ymir, "run", setup, "--out", out, "--threads", str(threads), "--no-preview", "--log", "debug", *more],
                          env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks: {done.stdout}{done.stderr}")
    return "spans ranks" in done.stdout + done.stderr


def frames(ymir, out):
    answer = subprocess.run([ymir, "info", out, "--json"], check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)["frames"]


def main():
    ymir, setup, mpiexec = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        expected = None
        for ranks, threads in (0, 1), (0, 2), (0, 3), (2, 1), (4, 1), (2, 2):
            out = os.path.join(folder, f"on_{ranks}_{threads}")
            spans = run(ymir, setup, mpiexec, ranks, threads, out)
            found = [frame["hash"] for frame in frames(ymir, out)]
            print(f"{ranks or 'no'} ranks, {threads} threads: last {found[-1]}{', islands span ranks' if spans else ''}", flush=True)
            if spans != (ranks > 1):
                sys.exit(f"{ranks} ranks: islands {'span' if spans else 'do not span'} ranks")
            expected = expected or found
            if found != expected:
                sys.exit(f"{ranks} ranks, {threads} threads: hashes differ: {found} instead of {expected}")
        if len(set(expected)) != len(expected):
            sys.exit("frames repeat: nothing moves")
        for first, then in (4, 2), (0, 4):
            out = os.path.join(folder, f"from_{first}_to_{then}")
            run(ymir, setup, mpiexec, first, 1, out, "--frames", "1:2")
            run(ymir, setup, mpiexec, then, 1, out, "--resume")
            found = [frame["hash"] for frame in frames(ymir, out)]
            print(f"{first} ranks, then {then or 'none'}: last {found[-1]}", flush=True)
            if found != expected:
                sys.exit(f"{first} ranks, then {then}: hashes differ: {found} instead of {expected}")


if __name__ == "__main__":
    main()
