#!/usr/bin/env python3
"""Takes from the program what systems take: address space, threads, file size, descriptors. Every command must end by
itself, with a documented exit code and a message that names what ran out; never by a signal.

    limits.py build/ymir tests/robustness/limits.yaml
"""
import argparse
import os
import resource
import subprocess
import tempfile

import program as p

NOBODY = 65534
DOCUMENTED = (0, 2, 3, 4)
LOADER = 127  # the system could not even load the program's libraries
MEGABYTE = 1 << 20


def limited(command, limits, user=None):
    """Exit status and what was said, under {resource: value}."""
    def confine():
        if user is not None:
            os.setgid(user)
            os.setuid(user)
        for what, value in limits.items():
            resource.setrlimit(what, (value, value))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          preexec_fn=confine, timeout=240, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    return done.returncode, done.stderr


class Campaign:
    def __init__(self, binary, setup, folder):
        self.binary, self.setup, self.folder = binary, setup, folder
        self.cache = os.path.join(folder, "whole")
        self.count, self.refused = 0, 0
        status, said = limited(self.command("run", self.cache), {})
        if status != 0:
            raise p.Failure(f"the undisturbed run ended with {status}: {said[-2000:]}")

    def command(self, name, cache, threads=None):
        arguments = {
            "run": ["run", self.setup, "--no-preview", "--out", cache],
            "info": ["info", cache],
            "preview": ["preview", cache, "--out", os.path.join(self.folder, "pictures"), "--width", "96", "--height",
                        "54", "--every", "4"],
            "slice": ["slice", cache, os.path.join(self.folder, "slice.png"), "--width", "256"],
            "groom": ["groom", "generate", "long", os.path.join(self.folder, "groom.hair"), "--strands", "500"],
            "check": ["check", self.setup],
        }[name]
        return [self.binary] + arguments + (["--threads", str(threads)] if threads else [])

    def attempt(self, name, limits, what, user=None, threads=None, cache=None):
        if cache is None:
            cache = self.cache if name != "run" else os.path.join(self.folder, f"attempt{self.count}")
        status, said = limited(self.command(name, cache, threads), limits, user)
        self.count += 1
        if status == LOADER and "shared librar" in said:
            return status, said
        if status not in DOCUMENTED:
            raise p.Failure(f"{name} with {what} ended with {status}: {said[-2000:]}")
        if status != 0:
            self.refused += 1
            if not said.strip():
                raise p.Failure(f"{name} with {what} ended with {status} without a word")
        return status, said


def memory(campaign):
    for name in ("check", "info", "slice", "preview", "groom", "run"):
        for megabytes in (40, 60, 80, 100, 140, 200, 300, 500):
            status, said = campaign.attempt(name, {resource.RLIMIT_AS: megabytes * MEGABYTE}, f"{megabytes} MB")
            if status == 4 and "memory" not in said and "thread" not in said and "cannot" not in said.lower():
                raise p.Failure(f"{name} with {megabytes} MB does not say what ran out: {said[-2000:]}")
        status, said = campaign.attempt(name, {resource.RLIMIT_AS: 4096 * MEGABYTE}, "4 GB")
        if status != 0:
            raise p.Failure(f"{name} with 4 GB ended with {status}: {said[-2000:]}")


def threads(campaign):
    """The superuser is not limited, so somebody else runs it."""
    user = NOBODY if os.geteuid() == 0 else None
    for name in ("run", "preview", "groom"):
        for processes in (1, 2, 3, 5):
            status, said = campaign.attempt(name, {resource.RLIMIT_NPROC: processes}, f"{processes} processes", user, 8)
            if status != 0:
                raise p.Failure(f"{name} with {processes} processes ended with {status}: {said[-2000:]}")
            if processes < 8 and user is not None and "threads" not in said:
                raise p.Failure(f"{name} with {processes} processes does not say that it has fewer threads: {said}")


def files(campaign):
    for kilobytes in (1, 20, 80):
        cache = os.path.join(campaign.folder, f"small{kilobytes}")
        status, said = campaign.attempt("run", {resource.RLIMIT_FSIZE: kilobytes << 10}, f"{kilobytes} kB files",
                                        cache=cache)
        if status != 4:
            raise p.Failure(f"run with files of at most {kilobytes} kB ended with {status}: {said[-2000:]}")
        leftovers = [name for name in os.listdir(cache) if name.endswith(".tmp")] if os.path.isdir(cache) else []
        if leftovers:
            raise p.Failure(f"run with files of at most {kilobytes} kB left {leftovers}")
    status, said = campaign.attempt("preview", {resource.RLIMIT_FSIZE: 1 << 10}, "1 kB files")
    if status != 4:
        raise p.Failure(f"preview with files of at most 1 kB ended with {status}: {said[-2000:]}")
    for descriptors in (3, 4, 6, 10):
        for name in ("info", "preview", "run"):
            campaign.attempt(name, {resource.RLIMIT_NOFILE: descriptors}, f"{descriptors} descriptors")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("setup")
    parser.add_argument("--only", choices=("memory", "threads", "files"))
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="ymir-limits-") as folder:
        os.chmod(folder, 0o777)
        campaign = Campaign(os.path.abspath(arguments.ymir), os.path.abspath(arguments.setup), folder)
        os.umask(0)
        for name, part in (("memory", memory), ("threads", threads), ("files", files)):
            if arguments.only in (None, name):
                part(campaign)
    return f"limits: {campaign.count} commands, {campaign.refused} refused with a message, none ended by a signal"


if __name__ == "__main__":
    p.campaign(main)
