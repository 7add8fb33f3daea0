#!/usr/bin/env python3
"""What users do to a cache by mistake or in need, one case each: whatever is refused changes nothing, no frame is lost, and
the message says what to do.

    cache_cases.py build/ymir tests/robustness
"""
import argparse
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time

import program as p

FRAMES = 16


class Case:
    """A folder with a finished cache, and the program."""

    def __init__(self, binary, finished, base, name):
        self.binary = binary
        self.base = os.path.join(base, name)
        os.mkdir(self.base)
        self.setup = os.path.join(self.base, "small.yaml")
        shutil.copy(os.path.join(os.path.dirname(finished), "small.yaml"), self.setup)
        self.out = os.path.join(self.base, "cache")
        shutil.copytree(finished, self.out)

    def run(self, *options, setup=None, out=None, expect=0, says=(), cwd=None, limit=None):
        command = [self.binary, "run", setup or self.setup, "--no-preview", "--threads", "1", "--out", out or self.out]
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        done = subprocess.run(command + list(options), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=300, cwd=cwd, preexec_fn=before)
        if done.returncode != expect:
            raise p.Failure(f"{' '.join(command[1:])} {' '.join(options)} ended with {done.returncode} instead of "
                            f"{expect}: {done.stdout[-2000:]}")
        for text in says:
            if text not in done.stdout:
                raise p.Failure(f"{' '.join(options)}: the message does not say '{text}': {done.stdout[-2000:]}")
        return done.stdout

    def refused(self, *options, expect, says=(), **more):
        before = p.tree(self.base)
        output = self.run(*options, expect=expect, says=says, **more)
        if p.tree(self.base) != before:
            raise p.Failure(f"{' '.join(options)} was refused and yet changed the folder")
        return output

    def write(self, name, text):
        path = os.path.join(self.base, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def changed(self, pattern=r"substeps: \d+", to="substeps: 5", name="small.yaml"):
        with open(self.setup, encoding="utf-8") as file:
            text = file.read()
        text, count = re.subn(pattern, to, text)
        if count == 0:
            raise p.Failure(f"{pattern} is not in the setup")
        return self.write(name, text)

    def listed(self, out=None):
        return [frame["number"] for frame in p.manifest(out or self.out)["frames"]]

    def must_list(self, *numbers, out=None):
        if self.listed(out) != list(numbers):
            raise p.Failure(f"the cache lists {self.listed(out)} instead of {list(numbers)}")


def wrong_ranges_change_nothing(case):
    case.refused("--frames", "10:16", expect=2, says=["--resume", "nothing was changed"])
    case.refused("--frames", "20:24", "--resume", expect=2, says=["frame 16", "--frames 17:24"])
    case.refused("--frames", "0:4", "--force-restart", expect=2, says=["the first frame"])
    case.refused("--frames", "9:3", "--force-restart", expect=2, says=["A:B"])
    case.refused("--from", "3", expect=2, says=["--resume"])
    case.refused("--resume", "--from", "40", expect=2, says=["holds frames 1 to 16"])
    case.refused("--resume", "--from", "-2", expect=2)
    case.refused("--resume", "--from", "3", "--force-restart", expect=2)


def a_wrong_setup_changes_nothing(case):
    case.refused(setup=case.write("wrong.yaml", "ymir: 1\nsetup: [gravty]\n"), expect=3)
    case.refused("--force-restart", setup=case.write("wrong.yaml", "ymir: 1\nsetup: [gravty]\n"), expect=3)
    lost = case.changed("setup:\n", "inputs: {dots: {points: missing.ply}}\nsetup:\n", "lost.yaml")
    case.refused("--force-restart", setup=lost, expect=3, says=["missing.ply"])
    case.refused(setup=case.changed(name="other.yaml"), expect=3, says=["will not be overwritten", "--force-restart"])
    case.refused("--resume", setup=case.changed(name="other.yaml"), expect=3, says=["--resume --from N"])


def finished_ranges_have_nothing_to_do(case):
    before = p.digests(case.out)
    case.run("--resume", says=["nothing was left to simulate"])
    case.run("--resume", "--frames", "3:9", says=["nothing was left to simulate"])
    if p.digests(case.out) != before or os.path.exists(os.path.join(case.out, "discarded")):
        raise p.Failure("resuming a finished cache changed it")
    case.run("--resume", "--frames", "9:18", says=["beyond frame 16"])
    case.must_list(*range(1, 19))


def running_again_sets_aside(case):
    before = p.digests(case.out)
    case.run("--frames", "1:2", says=["set aside", "discarded/0001"])
    case.must_list(1, 2)
    if p.digests(os.path.join(case.out, "discarded", "0001")) != before:
        raise p.Failure("the frames of the earlier run are not in discarded/0001")
    case.run("--force-restart", "--frames", "1:1")
    case.must_list(1)
    if p.digests(os.path.join(case.out, "discarded", "0001")) != before:
        raise p.Failure("--force-restart removed what had been set aside")


def without_checkpoints_no_frame_is_lost(case):
    before = p.digests(case.out)
    for name in os.listdir(case.out):
        if name.startswith("checkpoint_"):
            os.remove(os.path.join(case.out, name))
    case.run("--resume", "--frames", "1:18", says=["no usable checkpoint", "stay"])
    after = p.digests(case.out)
    if {n: d for n, d in after.items() if n <= FRAMES} != before or len(after) != 18:
        raise p.Failure("frames were lost on the way from the first frame")


def older_damage_is_repaired(case):
    """A damaged checkpoint that is not the last, and the earlier manifest put in place of the last."""
    oldest = min(n for n in os.listdir(case.out) if n.startswith("checkpoint_"))
    with open(os.path.join(case.out, oldest), "r+b") as file:
        file.write(b"damaged")
    info = p.Program(case.binary, case.setup)
    status, output = info.info(case.out)
    if status != 4 or oldest not in output or "--resume drops it" not in output:
        raise p.Failure(f"info ended with {status} and: {output}")
    case.run("--resume")
    status, output = info.info(case.out)
    if status != 0:
        raise p.Failure(f"resuming did not repair the cache: {output}")
    for last in (17, 18, 19, 20):
        case.run("--resume", "--frames", f"1:{last}")
        shutil.copy(os.path.join(case.out, "manifest.previous.json"), os.path.join(case.out, "manifest.json"))
    case.run("--resume", "--frames", "1:20")
    status, output = info.info(case.out)
    if status != 0:
        raise p.Failure(f"resuming did not repair the cache: {output}")
    case.must_list(*range(1, 21))
    for name in ("manifest.json", "manifest.previous.json"):
        with open(os.path.join(case.out, name), "w", encoding="utf-8") as file:
            file.write("{}")
    before = {n for n in os.listdir(case.out) if n.startswith("frame_")}
    status, output = info.info(case.out)
    if status != 4 or "--resume computes the frames again" not in output:
        raise p.Failure(f"info on a cache without manifests ended with {status} and: {output}")
    case.run("--resume", "--frames", "1:20", says=["no manifest can be read"])
    case.must_list(*range(1, 21))
    if os.path.exists(os.path.join(case.out, "discarded", "0002")) or len(before) != 20:
        raise p.Failure("frames that came out the same were set aside")


def a_second_writer_is_refused(case):
    first = subprocess.Popen([case.binary, "run", case.setup, "--no-preview", "--threads", "1", "--out", case.out,
                              "--resume", "--frames", "1:4000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        lock = os.path.join(case.out, "lock.json")
        while first.poll() is None and not (os.path.exists(lock) and os.path.getsize(lock) > 0):
            time.sleep(0.005)
        first.send_signal(signal.SIGSTOP)
        for options in ([], ["--resume"], ["--force-restart"], ["--resume", "--from", "3"]):
            case.refused(*options, expect=4, says=[f"process {first.pid} on ", " since ", "--out"])
        linked = os.path.join(case.base, "link")
        os.symlink(case.out, linked)
        case.refused("--resume", out=linked, expect=4, says=[f"process {first.pid} on "])
        done = subprocess.run([case.binary, "info", case.out, "--json"], stdout=subprocess.PIPE, text=True, check=False)
        if f"process {first.pid}" not in json.loads(done.stdout)["writer"]:
            raise p.Failure("info does not say who writes")
    finally:
        first.kill()
        first.wait()
    if not os.path.exists(lock):
        raise p.Failure("the killed run left no lock; the case tests nothing")
    case.run("--resume", says=["ended without releasing the cache"])
    if os.path.exists(lock):
        raise p.Failure("the lock is still there after the run")


def a_branch_keeps_what_was_before(case):
    before = p.digests(case.out)
    changed = case.changed(name="finer.yaml")
    case.refused("--resume", "--from", "3", setup=changed, expect=3, says=["checkpoints after frames 15, 16"])
    case.run("--resume", "--from", "15", setup=changed, says=["after frame 15", "discarded/0001"])
    case.must_list(*range(1, FRAMES + 1))
    after = p.digests(case.out)
    if any(after[n] != before[n] for n in range(1, 16)) or after[16] == before[16]:
        raise p.Failure("the branch did not keep frames 1 to 15 and compute 16 anew")
    if p.digests(os.path.join(case.out, "discarded", "0001")) != {16: before[16]}:
        raise p.Failure("frame 16 of the first setup is not in discarded/0001")
    listed = p.manifest(case.out)
    branch = listed["branches"][0]
    if (listed["setup_name"], branch["setup_name"], branch["from_frame"]) != ("small.yaml", "finer.yaml", 15):
        raise p.Failure(f"the manifest records {listed['branches']}")
    case.run("--resume", "--frames", "1:18", setup=changed)
    case.refused("--resume", expect=3, says=["differs from small.yaml"])
    case.must_list(*range(1, 19))


def a_checkpoint_that_does_not_fit_is_refused(case):
    for pattern, to, says in ((r"fps: 24", "fps: 25", "frames per second"), (r"group: Beads", "group: Pearls", "Beads/particle_object is gone"),
                              (r"frames: \[1, 16\]", "frames: [2, 16]", "nothing was changed")):
        case.refused("--resume", "--from", "16", setup=case.changed(pattern, to, "misfit.yaml"), expect=3, says=[says])
    hair = case.write("hair.yaml", """ymir: 1
time: {frames: [1, 2], fps: 24, substeps: 1}
inputs:
  rod: {line: {from: [0,1,0], to: [0.1,1,0], vertices: 6}}
setup:
  - gravity
  - group: Hair
    with:
      - curves_object: {curves: rod}
      - elastic_rod
""")
    out = os.path.join(case.base, "hair")
    case.run(setup=hair, out=out)
    with open(hair, encoding="utf-8") as file:
        longer = case.write("longer.yaml", file.read().replace("vertices: 6", "vertices: 8"))
    case.refused("--resume", "--from", "2", setup=longer, out=out, expect=3, says=["does not fit", "Hair"])


def vertical_velocities(case, out):
    """Of the only point, by frame, from an export."""
    found = {}
    for number in case.listed(out):
        path = os.path.join(case.base, "point.ply")
        subprocess.run([case.binary, "export", out, path, "--frames", f"{number}:{number}", "--log", "error"], check=True)
        with open(path, "rb") as file:
            head, _, body = file.read().partition(b"end_header\n")
        properties = [line.split()[1:] for line in head.splitlines() if line.startswith(b"property")]
        code = {b"float": "f", b"double": "d", b"uint": "I"}
        values = struct.unpack("<" + "".join(code[kind] for kind, _ in properties), body)
        found[number] = values[[name for _, name in properties].index(b"vy")]
    return found


FALL = """ymir: 1
time: {{frames: [1, 8], fps: 24, substeps: {substeps}, largest_speed: {speed}}}
inputs: {{dots: {{points: dots.ply}}}}
setup:
  - gravity: {{acceleration: [0, -10, 0]}}
  - group: Dots
    with:
      - particle_object: {{points: dots}}
outputs: {{checkpoint_every: 1}}
"""


def after_a_failure_all_frames_stay(case):
    """Free fall that fails at 2 m/s, in the middle of frame 5; gone on with a higher bound and other substeps."""
    case.write("dots.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                           "property float z\nend_header\n0 5 0\n")
    setup = case.write("fall.yaml", FALL.format(substeps=1, speed=2))
    out = os.path.join(case.base, "fall")
    output = case.run(setup=setup, out=out, expect=5)
    advice = re.search(r"go on with: ymir (run .* --resume --from 4)", output)
    if not advice:
        raise p.Failure(f"the failure does not say how to go on: {output}")
    case.must_list(1, 2, 3, 4, out=out)
    before = p.digests(out)
    numbers = [entry["number"] for entry in p.manifest(out)["checkpoints"]]
    if numbers != [3, 4] or p.manifest(out)["failures"][0]["number"] != 4:
        raise p.Failure(f"checkpoints after {numbers}, and the failure took one's place")
    case.run("--resume", setup=setup, out=out, expect=5)  # unchanged: from the checkpoint, to the same end
    if p.digests(out) != before:
        raise p.Failure("resuming the unchanged setup changed frames")
    case.write("fall.yaml", FALL.format(substeps=3, speed=1000))
    done = subprocess.run([case.binary] + advice[1].split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300, check=False)
    if done.returncode != 0 or "where the simulation failed, in frame 5" not in done.stdout:
        raise p.Failure(f"the advice leads to {done.returncode}: {done.stdout}")
    after = p.digests(out)
    if any(after[n] != before[n] for n in before) or len(after) != 8:
        raise p.Failure("finished frames were lost")
    # Whatever the substeps, the velocity of free fall is g t.
    for number, speed in vertical_velocities(case, out).items():
        if abs(speed + 10 * number / 24) > 1e-5:
            raise p.Failure(f"frame {number}: falls at {-speed} m/s instead of {10 * number / 24}")


def a_failure_in_the_first_frame_blocks_nothing(case):
    setup = case.write("heavy.yaml", """ymir: 1
time: {frames: [1, 2], fps: 24, substeps: 1}
inputs:
  rod: {line: {from: [0,1,0], to: [0.1,1,0], vertices: 6}}
setup:
  - gravity: {acceleration: [0, -1e38, 0]}
  - group: Hair
    with:
      - curves_object: {curves: rod}
      - elastic_rod
""")
    out = os.path.join(case.base, "heavy")
    case.run(setup=setup, out=out, expect=5, says=["No frame was finished", f"ymir run {setup} --out {out}"])
    with open(setup, encoding="utf-8") as file:
        case.write("heavy.yaml", file.read().replace("-1e38", "-9.81"))
    case.run(setup=setup, out=out)
    case.must_list(1, 2, out=out)


def a_file_size_limit_is_an_error(case):
    before = p.digests(case.out)
    case.run("--resume", "--frames", "1:20", limit=30000, expect=4, says=["file size limit", "--resume"])
    after = p.digests(case.out)
    if any(after.get(n) != d for n, d in before.items()):
        raise p.Failure("frames were lost at the file size limit")
    case.run("--resume", "--frames", "1:20")
    case.must_list(*range(1, 21))


def folders_of_all_kinds(case):
    file = case.write("file", "mine")
    case.refused(out=file, expect=4, says=["there is a file", "--out"])
    case.refused(out=os.path.join(file, "below"), expect=4, says=["cannot create the folder"])
    os.symlink(os.path.join(case.base, "nowhere"), os.path.join(case.base, "dangling"))
    case.refused(out=os.path.join(case.base, "dangling"), expect=4, says=["cannot create the folder"])
    link = os.path.join(case.base, "link")
    os.symlink("cache", link)
    case.run("--resume", "--frames", "1:17", out=link)
    foreign = os.path.join(case.base, "foreign")
    os.mkdir(foreign)
    case.write("foreign/notes.txt", "mine")
    case.write("foreign/frame_1.h5", "mine")
    case.run("--frames", "1:2", out=foreign)
    case.run("--frames", "1:2", "--force-restart", out=foreign)
    if sorted(os.listdir(foreign))[0] != "checkpoint_000002.h5" or not {"notes.txt", "frame_1.h5"} <= set(os.listdir(foreign)):
        raise p.Failure(f"files that are not ours are gone: {os.listdir(foreign)}")
    copy = os.path.join(case.base, "copy of cache")
    shutil.copytree(case.out, copy)
    case.run("--resume", "--frames", "1:18", out="copy of cache", setup="small.yaml", cwd=case.base)
    case.must_list(*range(1, 19), out=copy)
    if os.geteuid() != 0:
        os.chmod(case.out, 0o500)
        case.refused("--resume", "--frames", "1:20", expect=4, says=["cannot lock the cache", "may write to"])
        os.chmod(case.out, 0o700)


CASES = [wrong_ranges_change_nothing, a_wrong_setup_changes_nothing, finished_ranges_have_nothing_to_do,
         running_again_sets_aside, without_checkpoints_no_frame_is_lost, older_damage_is_repaired,
         a_second_writer_is_refused, a_branch_keeps_what_was_before, a_checkpoint_that_does_not_fit_is_refused,
         after_a_failure_all_frames_stay, a_failure_in_the_first_frame_blocks_nothing, a_file_size_limit_is_an_error,
         folders_of_all_kinds]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("folder", help="with small.yaml")
    parser.add_argument("--only", help="name of one case")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ymir-cases-") as base:
        setup = os.path.join(base, "small.yaml")
        shutil.copy(os.path.join(arguments.folder, "small.yaml"), setup)
        finished = os.path.join(base, "finished")
        p.Program(arguments.ymir, setup).must_run(finished)
        chosen = [case for case in CASES if arguments.only in (None, case.__name__)]
        for case in chosen:
            try:
                case(Case(os.path.abspath(arguments.ymir), finished, base, case.__name__))
            except p.Failure as failure:
                raise p.Failure(f"{case.__name__}: {failure}") from None
    return f"cache_cases: {len(chosen)} cases, nothing lost"


if __name__ == "__main__":
    p.campaign(main)
