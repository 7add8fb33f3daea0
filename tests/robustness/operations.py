#!/usr/bin/env python3
"""Does to one cache, in random order, what people and machines do to caches: runs, kills, resumes, second writers, wrong
ranges, full disks, damaged files, older manifests put back, changed setups. After every operation each frame that was ever
good must still be in the folder, in place or in discarded/, unless --force-restart was asked for. In the end the cache,
resumed, must be that of an undisturbed run.

    operations.py build/ymir tests/robustness/small.yaml --operations 200 --seed 1
"""
import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import program as p

LIMIT = 300  # [s] for one run: beyond that it hangs


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def frame_digests(folder):
    """Every frame file below the folder: in place, and set aside."""
    found = set()
    for place, _, names in os.walk(folder):
        found.update(digest(os.path.join(place, n)) for n in names if n.startswith("frame_") and n.endswith(".h5"))
    return found


class Campaign:
    def __init__(self, binary, setup, base, dice):
        self.binary = os.path.abspath(binary)
        self.dice = dice
        self.setups = [os.path.join(base, "first.yaml"), os.path.join(base, "changed.yaml")]
        shutil.copy(setup, self.setups[0])
        with open(setup, encoding="utf-8") as file:
            text = file.read()
        changed, count = re.subn(r"substeps: (\d+)", lambda m: f"substeps: {int(m[1]) + 1}", text, count=1)
        if count != 1:
            raise p.Failure(f"{setup} names no substeps")
        with open(self.setups[1], "w", encoding="utf-8") as file:
            file.write(changed)
        begin = time.monotonic()
        self.reference = p.Reference(p.Program(binary, self.setups[0]), os.path.join(base, "undisturbed"))
        self.duration = time.monotonic() - begin
        self.frames = len(self.reference.hashes)
        self.folder = os.path.join(base, "cache")
        self.good = {}  # digest -> what it is, for messages
        self.manifests = []  # earlier ones, as text
        self.counts = {}
        self.log = []

    # One run of the program.

    def current_setup(self):
        """The setup the cache is computed from now."""
        listed = p.readable_manifest(self.folder)
        if not listed:
            return self.setups[0]
        name = (listed.get("branches") or [listed])[-1]["setup_name"]
        return self.setups[1] if name == "changed.yaml" else self.setups[0]

    def start(self, *options, setup=None, limit=None):
        command = [self.binary, "run", setup or self.current_setup(), "--no-preview", "--threads", "1",
                   "--out", self.folder, *options]
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                preexec_fn=before)

    def finish(self, process, *expected):
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise p.Failure(f"{' '.join(process.args)} hangs") from None
        if process.returncode not in expected:
            raise p.Failure(f"{' '.join(process.args)} ended with {process.returncode}, expected {expected}: "
                            f"{output[-2000:]}")
        return process.returncode, output

    def run(self, *options, expected=(0,), **more):
        return self.finish(self.start(*options, **more), *expected)

    # Operations. Each says in one word what came of it.

    def op_run(self):
        self.run("--frames", f"1:{self.dice.randint(1, self.frames)}", expected=(0, 3))
        return "run"

    def op_resume(self):
        status, output = self.run("--resume", expected=(0, 3, 4))
        if status == 0:
            self.must_be_whole()
            return "resumed"
        # A branch that lost its checkpoints, or a manifest of other times: the message must say what to do.
        if "--from" not in output:
            raise p.Failure(f"resuming was refused without a remedy: {output[-2000:]}")
        self.run("--resume", "--from", "0")
        return "resumed after advice"

    def op_kill(self):
        process = self.start(*self.dice.choice([[], ["--resume"]]))
        time.sleep(self.dice.uniform(0, 1.2 * self.duration))
        p.kill_one(process)
        return "killed" if process.returncode == -signal.SIGKILL else "not killed in time"

    def op_interrupt(self):
        process = self.start("--resume")
        time.sleep(self.dice.uniform(0, self.duration))
        process.send_signal(signal.SIGINT)
        self.finish(process, 0, 3, 4, 130, -signal.SIGINT)  # before the handler stands, the signal ends it
        return "interrupted"

    def op_second_writer(self):
        process = self.start("--resume", "--from", "0")
        while process.poll() is None and not self.lock_is_written(process.pid):
            time.sleep(0.002)
        process.send_signal(signal.SIGSTOP)
        try:
            if process.poll() is not None or not self.lock_is_written(process.pid):
                return "second writer came too late"
            before = p.tree(self.folder)
            second = self.dice.choice([[], ["--resume"], ["--force-restart"], ["--resume", "--from", "0"]])
            _, output = self.run(*second, expected=(4,))
            if str(process.pid) not in output:
                raise p.Failure(f"the refusal does not name process {process.pid}: {output}")
            if p.tree(self.folder) != before:
                raise p.Failure("a refused writer changed the folder")
            p.Program(self.binary, self.setups[0]).info(self.folder)  # readers are not hindered
        finally:
            process.send_signal(signal.SIGCONT)
            self.finish(process, 0, 3)
        return "second writer refused"

    def lock_is_written(self, pid):
        try:
            with open(os.path.join(self.folder, "lock.json"), encoding="utf-8") as file:
                return json.load(file)["pid"] == pid
        except (OSError, ValueError, KeyError):
            return False

    def op_wrong_range(self):
        before = p.tree(self.folder)
        ranges = [f"{self.frames + 2}:{self.frames + 4}", "0:3", "9:2", "1", "a:b", f"-3:{self.frames}"]
        options = self.dice.choice([[], ["--resume"], ["--force-restart"]])
        self.run(*options, f"--frames={self.dice.choice(ranges)}", expected=(2, 3))
        after = p.tree(self.folder)
        for folder in (before, after):
            folder.pop(os.path.join(self.folder, "lock.json"), None)  # a stale one is taken over and released
        if after != before:
            raise p.Failure("a run with a wrong range changed the folder")
        return "wrong range refused"

    def op_full_disk(self):
        limit = self.dice.choice([1, 4096, 12000, 30000, 60000])
        status, output = self.run(*self.dice.choice([[], ["--resume"]]), limit=limit, expected=(0, 3, 4))
        if status == 4 and "file size limit" not in output and "--from" not in output:
            raise p.Failure(f"a full disk is not named: {output[-2000:]}")
        return "disk full" if status == 4 else "disk large enough"

    def op_damage(self):
        names = [n for n in p.cache_files(self.folder) if os.path.getsize(os.path.join(self.folder, n)) > 0]
        if not names:
            return "nothing to damage"
        name = self.dice.choice(names)
        path = os.path.join(self.folder, name)
        self.good.pop(digest(path), None)  # this one is lost, and not by the program
        with open(path, "rb") as file:
            content = bytearray(file.read())
        if self.dice.random() < 0.3:
            del content[self.dice.randrange(len(content)):]
        else:
            content[self.dice.randrange(len(content))] ^= 1 << self.dice.randrange(8)
        with open(path, "wb") as file:
            file.write(content)
        status, output = p.Program(self.binary, self.setups[0]).info(self.folder)
        if status not in (0, 4) or (status == 4 and ("run" not in output and "remove it" not in output)):
            raise p.Failure(f"info ended with {status} on a damaged {name} and says no remedy: {output[-2000:]}")
        return "damaged"

    def op_older_manifest(self):
        if not self.manifests:
            return "no older manifest"
        with open(os.path.join(self.folder, "manifest.json"), "wb") as file:
            file.write(self.dice.choice(self.manifests))
        return "older manifest put back"

    def op_branch(self):
        other = self.setups[1 - self.setups.index(self.current_setup())]
        status, _ = self.run("--resume", "--from", str(self.dice.randint(0, self.frames)), setup=other,
                             expected=(0, 2, 3, 4))
        return "branched" if status == 0 else "branch refused"

    def op_restart(self):
        self.run("--force-restart", "--frames", f"1:{self.dice.randint(1, self.frames)}",
                 setup=self.dice.choice(self.setups))
        # What was in place was given up; what had been set aside was not.
        kept = set()
        for place, _, names in os.walk(os.path.join(self.folder, "discarded")):
            kept.update(digest(os.path.join(place, n)) for n in names)
        self.good = {d: what for d, what in self.good.items() if d in kept}
        return "restarted"

    # What must hold.

    def must_be_whole(self):
        status, output = p.Program(self.binary, self.setups[0]).info(self.folder)
        if status != 0:
            raise p.Failure(f"after resuming, info ends with {status}: {output[-2000:]}")

    def check(self, what):
        lost = set(self.good) - frame_digests(self.folder)
        if lost:
            raise p.Failure(f"{what}: lost {sorted(self.good[d] for d in lost)}; before that: {self.log[-6:]}")
        listed = p.readable_manifest(self.folder)
        pure = listed and not listed.get("branches") and listed["setup_name"] == "first.yaml"
        for frame in listed["frames"] if listed else []:
            path = os.path.join(self.folder, frame["file"])
            if not os.path.exists(path) or os.path.getsize(path) != frame["bytes"]:
                continue
            if pure and digest(path) == self.reference.digests[frame["number"]]:
                self.good[digest(path)] = f"frame {frame['number']} of the setup"
            elif not pure and what != "damaged":
                self.good.setdefault(digest(path), f"frame {frame['number']} of a changed setup")
        for name in ("manifest.json", "manifest.previous.json"):
            path = os.path.join(self.folder, name)
            if what != "damaged" and os.path.exists(path) and self.dice.random() < 0.3:
                with open(path, "rb") as file:
                    self.manifests = (self.manifests + [file.read()])[-8:]

    def operate(self, count):
        weights = {self.op_run: 2, self.op_resume: 4, self.op_kill: 5, self.op_interrupt: 1, self.op_second_writer: 2,
                   self.op_wrong_range: 2, self.op_full_disk: 2, self.op_damage: 3, self.op_older_manifest: 2,
                   self.op_branch: 2, self.op_restart: 0.5}
        for _ in range(count):
            known = os.path.isdir(self.folder)
            operation = self.dice.choices(list(weights), weights.values())[0] if known else self.op_kill
            self.log.append(operation.__name__)
            what = operation()
            self.log[-1] = what
            self.counts[what] = self.counts.get(what, 0) + 1
            self.check(what)

    def end(self):
        """The cache, resumed, is that of an undisturbed run."""
        branched = (p.readable_manifest(self.folder) or {}).get("branches")
        if branched or self.current_setup() != self.setups[0]:
            self.run("--resume", "--from", "0", setup=self.setups[0])
        else:
            self.run("--resume", setup=self.setups[0])
        self.must_be_whole()
        self.reference.must_equal(self.folder)
        self.check("the end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("setup")
    parser.add_argument("--operations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ymir-operations-") as base:
        campaign = Campaign(arguments.ymir, arguments.setup, base, random.Random(arguments.seed))
        try:
            campaign.operate(arguments.operations)
            campaign.end()
        except p.Failure as failure:
            raise p.Failure(f"seed {arguments.seed}, after {campaign.log[-8:]}: {failure}") from None
        counts = ", ".join(f"{n} {what}" for what, n in sorted(campaign.counts.items()))
        return (f"operations: {arguments.operations} on one cache ({counts}); {len(campaign.good)} frames were ever good, "
                f"none lost; resumed to the frames of the undisturbed run")


if __name__ == "__main__":
    p.campaign(main)
