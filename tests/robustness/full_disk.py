#!/usr/bin/env python3
"""Runs out of disk space half-way, on a tmpfs of limited size: the program must say so, leave the frames before intact and
nothing half-written, and go on when there is space again. Needs root or user namespaces; exit status 77 without.

    full_disk.py build/ymir examples/embers.yaml
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import program as p

IO_ERROR = 4
SKIPPED = 77


def mount(folder, size, remount=False):
    options = f"{'remount,' if remount else ''}size={size}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def become_able_to_mount():
    if os.geteuid() == 0 or not shutil.which("unshare"):
        return
    command = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run(command + ["true"], stderr=subprocess.DEVNULL).returncode == 0:
        os.execvp(command[0], command + [sys.executable] + sys.argv)


def fill_and_go_on(program, reference, disk, size):
    folder = os.path.join(disk, "out")
    status, output = program.run(folder)
    if status != IO_ERROR or "space" not in output.lower():
        raise p.Failure(f"a run on a full disk ended with {status} instead of {IO_ERROR}: {output[-2000:]}")
    leftovers = [name for name in os.listdir(folder) if name.endswith(".tmp")]
    if leftovers:
        raise p.Failure(f"the run on a full disk left {leftovers}")
    status, output = program.info(folder)
    if status != 0:
        raise p.Failure(f"the cache on the full disk is not intact, info ended with {status}: {output[-2000:]}")
    kept = p.digests(folder)
    if any(reference.digests[number] != digest for number, digest in kept.items()):
        raise p.Failure("frames on the full disk differ from those of the undisturbed run")
    if not mount(disk, 8 * size, remount=True):
        raise p.Failure("cannot enlarge the disk")
    program.must_run(folder, resume=True)
    reference.must_equal(folder)
    return len(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("setup")
    arguments = parser.parse_args()
    program = p.Program(arguments.ymir, arguments.setup)
    become_able_to_mount()
    with tempfile.TemporaryDirectory(prefix="ymir-full-") as base:
        disk = os.path.join(base, "disk")
        os.mkdir(disk)
        if not mount(disk, "1m"):
            print("full_disk: SKIPPED, may not mount a tmpfs here")
            sys.exit(SKIPPED)
        try:
            reference = p.Reference(program, os.path.join(base, "undisturbed"))
            total = sum(os.path.getsize(os.path.join(reference.folder, name)) for name in p.cache_files(reference.folder))
            kept = []
            for tenths in (2, 5, 8):
                size = total * tenths // 10
                if not mount(disk, size, remount=True):
                    raise p.Failure("cannot resize the disk")
                kept.append(fill_and_go_on(program, reference, disk, size))
                shutil.rmtree(os.path.join(disk, "out"))
        finally:
            subprocess.run(["umount", disk])
    return (f"full_disk: 3 disks of 20, 50 and 80 % of the cache, {kept} of {len(reference.hashes)} frames kept intact, "
            f"all resumed to the frames of the undisturbed run")


if __name__ == "__main__":
    p.campaign(main)
