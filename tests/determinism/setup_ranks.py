#!/usr/bin/env python3
"""Runs a setup with several numbers of ranks and threads; every frame must have the same state hash.

usage: setup_ranks.py YMIR SETUP MPIEXEC [FRAMES]
"""
import json
import os
import subprocess
import sys
import tempfile

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_WAIT_POLICY": "passive",
}


def hashes(ymir, setup, launcher, threads, frames, folder):
    out = os.path.join(folder, "cache")
    subprocess.run(
        launcher + [ymir, "run", setup, "--out", out, "--threads", str(threads), "--force-restart", "--no-preview", "--log", "warn"]
        + (["--frames", "1:" + frames] if frames else []),
        check=True, env={**os.environ, **ENVIRONMENT})
    answer = subprocess.run([ymir, "info", out, "--json"], check=True, capture_output=True, text=True)
    return [frame["hash"] for frame in json.loads(answer.stdout)["frames"]]


def main():
    ymir, setup, mpiexec = sys.argv[1:4]
    frames = sys.argv[4] if len(sys.argv) > 4 else None
    expected = None
    with tempfile.TemporaryDirectory() as folder:
        for launcher, ranks, threads in [([], 0, 1), ([], 0, 2), ([], 0, 3)] + [
                ([mpiexec, "-n", str(n)], n, 1) for n in (1, 2, 4)]:
            found = hashes(ymir, setup, launcher, threads, frames, folder)
            label = f"{ranks} ranks" if ranks else "no launcher"
            print(f"{label}, {threads} threads: {len(found)} frames, last {found[-1]}", flush=True)
            expected = expected or found
            if found != expected:
                sys.exit(f"{label}, {threads} threads: hashes differ: {found} instead of {expected}")
    if len(set(expected)) != len(expected):
        sys.exit("frames repeat: nothing moves")


if __name__ == "__main__":
    main()
