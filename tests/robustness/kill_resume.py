#!/usr/bin/env python3
"""Kills runs with SIGKILL at random moments, resumes them (some are killed again), and compares the frames with those of
an undisturbed run, state hash by state hash and file by file. Counts the finished frames that had to be computed again.

    kill_resume.py build/ymir examples/embers.yaml --runs 50
"""
import argparse
import os
import random
import shutil
import tempfile
import time

import program as p


def stamps(folder):
    """Identity of every finished frame file; a rewritten file is another one."""
    listed = p.manifest(folder)
    found = {}
    for frame in listed["frames"] if listed else []:
        status = os.stat(os.path.join(folder, frame["file"]))
        found[frame["number"]] = (status.st_ino, status.st_mtime_ns)
    return found


def checkpoint_interval(folder):
    numbers = [entry["number"] for entry in p.manifest(folder)["checkpoints"]]
    if len(numbers) < 2:
        raise p.Failure("the undisturbed run left fewer than two checkpoints; give --interval or a longer setup")
    return numbers[-1] - numbers[-2]


def frame_files(folder):
    return sum(name.startswith("frame_") and name.endswith(".h5") for name in os.listdir(folder))


def wait_for_frames(process, folder, number):
    while process.poll() is None and frame_files(folder) < number:
        time.sleep(0.001)


def killed_run(program, folder, dice, frames, frame_time):
    """One run killed one to three times, then finished. Returns (times killed, worst number of frames lost at once).

    The moment is a random number of frames further on, then a random part of a frame: on a loaded machine as on an idle one."""
    kills, worst = 0, 0
    for attempt in range(dice.randint(1, 3)):
        before = stamps(folder) if attempt else {}
        process = program.start(folder, resume=p.manifest(folder) is not None)
        wait_for_frames(process, folder, dice.randint(0, frames - 2))
        time.sleep(dice.uniform(0, frame_time))
        if process.poll() is None:
            kills += 1
        p.kill(process)
        # Frames that stood before this attempt and were dropped or written again.
        after = stamps(folder)
        worst = max(worst, sum(after.get(number) != stamp for number, stamp in before.items()))
    before = stamps(folder)
    program.must_run(folder, resume=p.manifest(folder) is not None)
    after = stamps(folder)
    return kills, max(worst, sum(after.get(number) != stamp for number, stamp in before.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("setup")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--interval", type=int, help="frames between checkpoints; read from the undisturbed run if absent")
    arguments = parser.parse_args()
    program = p.Program(arguments.ymir, arguments.setup)
    with tempfile.TemporaryDirectory(prefix="ymir-kill-") as base:
        begin = time.monotonic()
        reference = p.Reference(program, os.path.join(base, "undisturbed"))
        duration = time.monotonic() - begin
        frames = len(reference.hashes)
        interval = arguments.interval or checkpoint_interval(reference.folder)
        kills, worst = 0, 0
        for run in range(arguments.runs):
            folder = os.path.join(base, f"run{run}")
            os.mkdir(folder)
            killed, lost = killed_run(program, folder, random.Random(f"{arguments.seed} {run}"),
                                       frames, duration / frames)
            reference.must_equal(folder)
            if lost > interval:
                raise p.Failure(f"run {run}: {lost} finished frames were lost, more than the {interval} between checkpoints")
            kills, worst = kills + killed, max(worst, lost)
            shutil.rmtree(folder)
    if arguments.runs > 0 and kills == 0:
        raise p.Failure("no run lived long enough to be killed")
    return (f"kill_resume: {arguments.runs} runs, {kills} kills, {len(reference.hashes)} frames each, all identical to "
            f"the undisturbed run; at most {worst} finished frames lost at once (checkpoint interval {interval})")


if __name__ == "__main__":
    p.campaign(main)
