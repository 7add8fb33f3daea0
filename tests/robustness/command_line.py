#!/usr/bin/env python3
"""What a command line, a closed pipe or a file may get wrong at the edges: each has its exit code, and nothing is lost.

    command_line.py build/ymir tests/robustness/small.yaml
"""
import os
import subprocess
import sys
import tempfile

import program as p

POINTS = """ply
format ascii 1.0
element vertex 1
property float x
property float y
property float z
property float {name}
end_header
0 1 0 {value}
"""


class Cases:
    def __init__(self, binary, setup, folder):
        self.binary, self.setup, self.folder = os.path.abspath(binary), os.path.abspath(setup), folder
        self.cache = os.path.join(folder, "cache")
        self.count = 0
        self.expect(0, "run", self.setup, "--no-preview", "--out", self.cache)
        self.files = sorted(os.listdir(self.cache))

    def expect(self, status, *arguments, stdout=subprocess.PIPE, says=""):
        self.count += 1
        done = subprocess.run([self.binary, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=120, cwd=self.folder)
        if done.returncode != status:
            raise p.Failure(f"{' '.join(arguments)} ended with {done.returncode}, not {status}: {done.stderr[-500:]}")
        said = (done.stdout or "") + done.stderr
        if says not in said:
            raise p.Failure(f"{' '.join(arguments)} does not say '{says}': {said[-500:]}")

    def unchanged(self):
        if sorted(os.listdir(self.cache)) != self.files:
            raise p.Failure(f"a refused command changed the cache: {sorted(os.listdir(self.cache))}")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return name


def options(cases):
    run = ("run", cases.setup, "--no-preview", "--out", cases.cache)
    cases.expect(2, *run, "--resume", "--force-restart")
    cases.expect(2, *run, "--frames", "")
    cases.expect(2, "run", cases.setup, "--out", "")
    cases.unchanged()
    for option in ("--fov", "--turn", "--strand-width"):
        cases.expect(2, "preview", cases.cache, "--out", "pictures", "--width", "32", "--height", "32", option, "nan")


def pipes(cases):
    with open("/dev/full", "w", encoding="utf-8") as full:
        for arguments in (("info", cases.cache, "--json"), ("describe", "--json"), ("schema",)):
            cases.expect(4, *arguments, stdout=full)
    # The reader of the log goes away at once; the frames come all the same.
    out = os.path.join(cases.folder, "unread")
    run = subprocess.Popen([cases.binary, "run", cases.setup, "--no-preview", "--out", out], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    run.stdout.close()
    if run.wait(120) != 0 or len(p.manifest(out)["frames"]) != len(p.manifest(cases.cache)["frames"]):
        raise p.Failure(f"a run whose log nobody reads ended with {run.returncode}")
    cases.count += 1


def values(cases):
    for name, value in (("density", -7), ("density", 0), ("radius", -1), ("radius", 0)):
        cases.write("p.ply", POINTS.format(name=name, value=value))
        setup = cases.write("points.yaml", "ymir: 1\ntime: {frames: [1, 2]}\ninputs: {p: {points: p.ply}}\n"
                                           "setup: [gravity, particle_object: {points: p}]\n")
        for command in ("check", "run"):
            cases.expect(3, command, setup, "--out", "bad", says=f"the {name} is")
    for name in ("velocity", "bucket", "next_density", "a/b", " ", "@x"):
        setup = cases.write("gas.yaml", "ymir: 1\ntime: {frames: [1, 1]}\nsetup:\n  - volume_object: {voxel: 0.1}\n"
                                        f"  - emitter: {{materials: [{{name: '{name}', value: 1}}]}}\n")
        for command in ("check", "run"):
            cases.expect(3, command, setup, "--out", "bad", says="name")


def main():
    with tempfile.TemporaryDirectory(prefix="ymir-command-line-") as folder:
        cases = Cases(sys.argv[1], sys.argv[2], folder)
        for part in (options, pipes, values):
            part(cases)
    return f"command_line: {cases.count} commands, each with its exit code"


if __name__ == "__main__":
    p.campaign(main)
