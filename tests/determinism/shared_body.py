#!/usr/bin/env python3
"""A soft body that ranks share moves as it does on one rank, as far as Newton's method is taken: conjugate gradients add
up over ranks in another order. With the same ranks, threads make no difference; a run goes on with other ranks.

usage: shared_body.py YMIR SETUP MPIEXEC
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from setup_ranks import ENVIRONMENT

# Newton's method stops in each of the 16 substeps where forces would move a node by 1e-6 cells of 2 cm.
APART = 16 * 1e-6 * 0.02


def run(ymir, setup, mpiexec, ranks, threads, out, *more):
    done = subprocess.run([mpiexec, "-n", str(ranks), ymir, "run", setup, "--out", out, "--threads", str(threads), "--no-preview", *more],
                          check=True, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True)
    shared = f"{ranks} ranks share its" in done.stdout + done.stderr
    if shared != (ranks > 1):
        sys.exit(f"{ranks} ranks: the body is {'' if shared else 'not '}shared\n{done.stdout}{done.stderr}")


def hashes(ymir, out):
    answer = subprocess.run([ymir, "info", out, "--json"], check=True, capture_output=True, text=True)
    return [frame["hash"] for frame in json.loads(answer.stdout)["frames"]]


def points(ymir, out):
    """Of the skin of the body in every frame."""
    file = out + ".usda"
    subprocess.run([ymir, "export", out, file, "--object", "Block", "--log", "warn"], check=True)
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    body = text[text.index("Block"):]
    samples = re.search(r"points\.timeSamples = \{(.*?)\n\s*\}", body, re.S).group(1)
    return [[float(x) for x in re.findall(r"-?\d[\d.e+-]*", line.split(":", 1)[1])] for line in samples.splitlines() if ":" in line]


def apart(a, b):
    if len(a) != len(b) or any(len(p) != len(q) or len(p) < 24 for p, q in zip(a, b)):
        sys.exit("frames have other points")
    return max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))


def main():
    ymir, setup, mpiexec = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for ranks, threads in (1, 1), (2, 1), (2, 2), (4, 1):
            out = os.path.join(folder, f"on_{ranks}_{threads}")
            run(ymir, setup, mpiexec, ranks, threads, out)
            found[ranks, threads] = points(ymir, out)
        if hashes(ymir, os.path.join(folder, "on_2_1")) != hashes(ymir, os.path.join(folder, "on_2_2")):
            sys.exit("2 ranks: threads make a difference")
        out = os.path.join(folder, "resumed")
        run(ymir, setup, mpiexec, 3, 1, out, "--frames", "1:3")
        run(ymir, setup, mpiexec, 2, 1, out, "--resume")
        found["resumed", 1] = points(ymir, out)
        one = found[1, 1]
        moved = apart(one[:1], one[-1:])
        print(f"moved by {moved:.3g} m")
        if moved < 0.02:
            sys.exit("nothing moves")
        for (ranks, threads), there in found.items():
            off = apart(one, there)
            print(f"{ranks} ranks, {threads} threads: apart by {off:.2g} m (frames are in single precision)")
            if off > APART:
                sys.exit(f"more than {APART:.2g} m")


if __name__ == "__main__":
    main()
