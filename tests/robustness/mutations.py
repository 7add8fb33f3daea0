#!/usr/bin/env python3
"""Changes one to three parameters of a setup to values across their ranges, runs a few small frames and checks what must
always hold:

  status      `run` ends with 0, 3 or 5, never with a signal, an internal error or a hang
  check       `check` refuses what `run` refuses, and nothing else
  absurd      no stored frame holds a value that is not finite or a speed beyond what the scene can explain
  threads     the same hashes on 1 and 2 threads
  resume      a run that stopped after its first frame and was resumed has the same hashes
  placed      a scene moved by 100 m, turned by 30 degrees or written in another order ends in the same place

A seed and a number give a case again: mutations.py build/ymir --seed 1 --only 417. A failing case is reduced to the
smallest setup that still fails, and kept in --keep.
"""
import argparse
import concurrent.futures
import copy
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import scenes

# Distance two runs of one scene may end apart [m]: frames hold 32-bit numbers, at 100 m that is 8e-6 m, and a strand
# or a gas passes rounding on.
PLACED_TOLERANCE = 2e-4


class Breach(Exception):
    """kind: what was promised; what: what happened instead."""

    def __init__(self, kind, what):
        super().__init__(f"{kind}: {what}")
        self.kind = kind


class Case:
    """One setup in a folder of its own."""

    patience = 120  # of one command [s]

    def __init__(self, binary, folder, setup):
        self.binary, self.folder = binary, folder
        os.makedirs(folder, exist_ok=True)
        self.file = os.path.join(folder, "setup.yaml")
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump(setup, file, indent=1)

    def call(self, *arguments):
        try:
            done = subprocess.run([self.binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  errors="replace", timeout=self.patience, cwd=self.folder)
        except subprocess.TimeoutExpired:
            raise Breach("slow", f"{arguments[0]} took more than {self.patience:g} s") from None
        if done.returncode not in (0, 3, 5):
            raise Breach("status", f"{arguments[0]} ended with {done.returncode}: {done.stderr[-500:]}")
        return done

    def run(self, name, *options):
        out = os.path.join(self.folder, name)
        return out, self.call("run", self.file, "--no-preview", "--out", out, *options)

    def hashes(self, out):
        return [frame["hash"] for frame in json.loads(self.call("info", out, "--json").stdout)["frames"]]

    def frame_files(self, out):
        return sorted(os.path.join(out, name) for name in os.listdir(out) if re.fullmatch(r"frame_\d+\.h5", name))


# --- what must hold

def numbers_in(value):
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    else:
        n = scenes.number(value)
        if n is not None and math.isfinite(n):
            yield abs(n)


def given_speeds(setup):
    """The largest number given as a speed, acceleration or force anywhere: what a scene's own speeds come from."""
    words = re.compile("velocity|speed|spread|swirl|updraft|inflow|strength|acceleration|wind|gusts|motion|temperature|"
                       "rate|flow|expansion|overpressure|position|rotation")
    largest = 0.0

    def look(key, value):
        nonlocal largest
        if words.search(str(key)):
            largest = max([largest, *numbers_in(value)])
        if isinstance(value, dict):
            for k, v in value.items():
                look(k, v)
        elif isinstance(value, list):
            for item in value:
                look("", item)
    look("", setup)
    return largest


def absurd_speed(setup):
    """A speed that needs an explanation [m/s]."""
    return 100 + 10 * given_speeds(setup)


def check_frames(case, out, setup):
    limit = absurd_speed(setup)
    for path in case.frame_files(out):
        for item in json.loads(case.call("info", path, "--json").stdout)["objects"]:
            for name, channel in item["channels"].items():
                if not channel.get("finite", True):
                    raise Breach("absurd", f"{os.path.basename(path)}: {item['name']} {name} is not finite")
                if name == "velocity" and channel.get("high"):
                    speed = max(abs(v) for v in channel["low"] + channel["high"])
                    if speed > limit:
                        raise Breach("absurd", f"{os.path.basename(path)}: {item['name']} moves at {speed:.3g} m/s")


def check_case(case, setup, dice):
    """Raises Breach; returns the exit status of the run."""
    checked = case.call("check", case.file)
    out, done = case.run("a", "--threads", "1")
    refused = done.returncode == 3
    if refused != (checked.returncode == 3):
        said = (done.stderr if refused else checked.stdout + checked.stderr)[-400:]
        raise Breach("check", f"check ended with {checked.returncode}, run with {done.returncode}: {said}")
    if refused:
        return 3
    check_frames(case, out, setup)
    if done.returncode == 5:
        return 5
    hashes = case.hashes(out)
    if dice.random() < 0.5:
        other, _ = case.run("b", "--threads", "2")
        if case.hashes(other) != hashes:
            raise Breach("threads", "1 and 2 threads give different hashes")
    if dice.random() < 0.3:
        first = setup["time"]["frames"][0]
        other, _ = case.run("c", "--threads", "1", "--frames", f"{first}:{first}")
        case.run("c", "--threads", "1", "--resume")
        if case.hashes(other) != hashes:
            raise Breach("resume", "a resumed run gives other hashes")
    return 0


# --- the same scene elsewhere

def last_points(case, out, moving):
    """Positions of the moving object in the last frame, by name, from the text of a .usda."""
    last = len(case.frame_files(out))
    target = os.path.join(case.folder, os.path.basename(out) + ".usda")
    done = case.call("export", out, target, "--frames", f"{last}:{last}", "--object", moving)
    if done.returncode:
        raise Breach("placed", f"export ended with {done.returncode}: {done.stderr[-300:]}")
    found, order, name, points, ids = {}, {}, "", False, False
    with open(target, encoding="utf-8") as file:
        for line in file:
            if match := re.search(r'def (\w+) "([^"]+)"', line):
                name = match.group(2) if match.group(1) in ("Points", "BasisCurves") else ""
            if ".timeSamples" in line:
                points = bool(name) and "points.timeSamples" in line
                ids = bool(name) and "ids.timeSamples" in line
            elif points and re.match(r"\s*\d", line):
                found[name] = [[float(x) for x in point.split(",")] for point in re.findall(r"\(([^()]*)\)", line)]
            elif ids and re.match(r"\s*\d", line):
                order[name] = [int(x) for x in re.findall(r"-?\d+", line.split(":", 1)[1])]
    # Points are stored in the order of their buckets, which lie elsewhere for a scene elsewhere.
    for name, numbers in order.items():
        found[name] = [x for _, x in sorted(zip(numbers, found[name]))]
    return found


def check_placed(binary, folder, dice):
    name = dice.choice(sorted(scenes.PLACED))
    scene, turns, moving = scenes.PLACED[name]
    here, there = scenes.Place(), scenes.Place(30 if turns and dice.random() < 0.7 else 0,
                                               tuple(dice.choice([-100, 0, 100]) for _ in range(3)))
    setup = scene(here)
    changed = scene(there)
    substeps = dice.choice([1, 2, 8])
    for s in (setup, changed):
        s["time"]["substeps"] = substeps
    if dice.random() < 0.5:
        changed = scenes.reordered(changed, dice)
    one, two = (Case(binary, os.path.join(folder, which), s) for which, s in (("one", setup), ("two", changed)))
    (a, first), (b, second) = one.run("a"), two.run("a")
    if first.returncode or second.returncode:
        raise Breach("placed", f"{name}: ended with {first.returncode} and {second.returncode}: "
                               f"{(first.stderr + second.stderr)[-400:]}")
    before, after = last_points(one, a, moving), last_points(two, b, moving)
    if sorted(before) != sorted(after) or not before:
        raise Breach("placed", f"{name}: objects {sorted(before)} and {sorted(after)}")
    for item, points in before.items():
        moved = [there.undo(x) for x in after[item]]
        apart = max((math.dist(x, y) for x, y in zip(points, moved)), default=0)
        if len(points) != len(moved) or not apart <= PLACED_TOLERANCE:
            raise Breach("placed", f"{name}, {substeps} substeps, turned {math.degrees(there.angle):.0f} degrees, moved "
                                   f"by {there.offset}: {item} ends {apart:.3g} m apart")
    return 0, changed


# --- changes

def candidates(info, value):
    """Values of one parameter across its range."""
    low, high, default = info.get("low"), info.get("high"), info.get("default")
    kind = info["type"]
    if kind == "boolean":
        return [True, False]
    if kind == "choice":
        return info["choices"]
    if kind not in ("real", "integer", "vector"):
        return []
    base = value if value is not None else default
    found = []
    if kind == "vector":
        found = [scenes.scaled(base, f) for f in (10, 0.1, -1, 0)] if isinstance(base, list) else [[0, 0, 0]]
    else:
        if base is not None:
            found = [scenes.scaled(base, f) for f in (10, 0.1, 2, 0.5)]
        found += [bound for bound in (low, high) if bound is not None] + [0, 1]
        if low is not None and high is not None and low > 0:
            found.append(math.sqrt(low * high))
        if kind == "integer":
            found = [int(n) for n in (scenes.number(f) for f in found) if n is not None and math.isfinite(n)]
    return found


def given(parameters, name):
    return parameters.get(name) not in (None, "", [])


def applies(info, all_of, parameters):
    """Whether a parameter counts among the others; elsewhere a value of it is refused."""
    by_name = {p["name"]: p for p in all_of}

    def counts(name):
        return given(parameters, name) and applies(by_name[name], all_of, parameters)

    for condition in info.get("only_when", []):
        if "given" in condition and not any(counts(name) for name in condition["given"]):
            return False
        if "absent" in condition and any(counts(name) for name in condition["absent"]):
            return False
        if "param" in condition:
            name = condition["param"]
            value = parameters.get(name, by_name[name].get("default"))
            if {True: "true", False: "false"}.get(value, value) not in condition["values"]:
                return False
    return True


def drop_ignored(all_of, parameters):
    """Leaves out what no longer counts once a mode has changed."""
    for info in all_of:
        if info["name"] in parameters and not applies(info, all_of, parameters):
            del parameters[info["name"]]


def change(setup, description, dice):
    """Changes one value; returns what was done."""
    known = {b["name"]: b["parameters"] for b in description["behaviors"]}
    nodes = list(scenes.behaviors(setup))
    kind = dice.random()
    if kind < 0.15:
        setup["time"]["substeps"] = dice.choice([1, 2, 8])
        return f"substeps {setup['time']['substeps']}"
    if kind < 0.22:
        info = dice.choice([p for p in description["time"] if p["name"] not in ("frames", "largest_speed")
                            and applies(p, description["time"], setup["time"])])
        values = candidates(info, setup["time"].get(info["name"]))
        # Thousands of substeps or frames per second are not wrong, only long.
        values = [v for v in values if info["name"] not in ("substeps", "max_substeps") or v <= 64]
        if values:
            setup["time"][info["name"]] = dice.choice(values)
            drop_ignored(description["time"], setup["time"])
            return f"time.{info['name']} {setup['time'][info['name']]}"
    if kind < 0.32:
        for where, i, name, parameters in nodes:
            if name == "volume_object":
                parameters["voxel"] = scenes.scaled(parameters.get("voxel", 0.02), dice.choice([0.5, 2]))
                scenes.set_parameters(where, i, name, parameters)
                return f"voxel {parameters['voxel']}"
    if kind < 0.42:
        for entry in (setup.get("inputs") or {}).values():
            if isinstance(entry.get("groom"), dict):
                entry["groom"]["strands"] = dice.choice([1, 4 * 12])
                return f"strands {entry['groom']['strands']}"
    if kind < 0.5:
        before = setup["setup"]
        setup["setup"] = scenes.reordered(setup, dice)["setup"]
        return "groups reordered" if setup["setup"] != before else "nothing"
    where, i, name, parameters = dice.choice(nodes)
    if name not in known or not known[name]:
        return "nothing"
    level = known[name]
    info = dice.choice([p for p in level if applies(p, level, parameters)])
    inner = parameters
    label = name
    while info["type"] == "nested" and info.get("fields"):
        label += "." + info["name"]
        if not isinstance(inner.get(info["name"]), dict):
            inner[info["name"]] = {}
        inner, level = inner[info["name"]], info["fields"]
        info = dice.choice([p for p in level if applies(p, level, inner)])
    values = candidates(info, inner.get(info["name"]))
    if not values:
        return "nothing"
    # A default, as often as any value.
    if info["name"] in inner and not info["required"] and dice.random() < 0.2:
        del inner[info["name"]]
    else:
        inner[info["name"]] = dice.choice(values)
    drop_ignored(level, inner)
    scenes.set_parameters(where, i, name, parameters)
    return f"{label}.{info['name']} {inner.get(info['name'], 'default')}"


def smaller(setup):
    """Setups with one thing less."""
    for index in range(sum(1 for _ in scenes.behaviors(setup))):
        other = copy.deepcopy(setup)
        nodes, i, _, _ = list(scenes.behaviors(other))[index]
        del nodes[i]
        yield other
        other = copy.deepcopy(setup)
        nodes, i, name, parameters = list(scenes.behaviors(other))[index]
        for key in list(parameters):
            less = copy.deepcopy(setup)
            where, j, _, kept = list(scenes.behaviors(less))[index]
            del kept[key]
            scenes.set_parameters(where, j, name, kept)
            yield less
    for key in list(setup.get("inputs") or {}):
        other = copy.deepcopy(setup)
        del other["inputs"][key]
        yield other


def reduced(binary, folder, setup, kind, seed):
    """The smallest setup reached by leaving things out that breaks the same promise."""
    attempt = 0
    again = True
    while again and attempt < 60:
        again = False
        for other in smaller(setup):
            attempt += 1
            where = os.path.join(folder, f"reduce{attempt}")
            try:
                check_case(Case(binary, where, other), other, random.Random(seed))
            except Breach as breach:
                if breach.kind == kind:
                    setup, again = other, True
                    break
            finally:
                shutil.rmtree(where, ignore_errors=True)
            if attempt >= 60:
                break
    return setup


# --- the campaign

def one_case(arguments, bases, description, index):
    """(index, status or None, what was done, breach or None, setup)."""
    seed = f"{arguments.seed}:{index}"
    dice = random.Random(seed)
    folder = tempfile.mkdtemp(prefix=f"ymir-mutation-{index}-", dir=arguments.scratch)
    what, setup = "", None
    try:
        if dice.random() < 0.1:
            what = "placed"
            status, setup = check_placed(arguments.ymir, folder, dice)
            return index, status, what, None, setup
        name = dice.choice(sorted(bases))
        setup = copy.deepcopy(bases[name])
        done = [change(setup, description, dice) for _ in range(dice.randint(1, 3))]
        what = f"{name}: {'; '.join(done)}"
        return index, check_case(Case(arguments.ymir, folder, setup), setup, dice), what, None, setup
    except Breach as breach:
        if setup is not None and arguments.keep and breach.kind not in ("slow", "placed"):
            setup = reduced(arguments.ymir, folder, setup, breach.kind, seed)
        return index, None, what, breach, setup
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("--examples", default=os.path.join(os.path.dirname(__file__), "..", "..", "examples"))
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this case alone")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no further case after this time")
    parser.add_argument("--patience", type=float, default=Case.patience, help="seconds that one command may take")
    parser.add_argument("--keep", help="folder for reduced failing setups")
    parser.add_argument("--scratch", help="folder for temporary caches")
    arguments = parser.parse_args()
    arguments.ymir = os.path.abspath(arguments.ymir)
    Case.patience = arguments.patience
    description = json.loads(subprocess.run([arguments.ymir, "describe", "--json"], stdout=subprocess.PIPE, check=True,
                                            text=True).stdout)
    bases = scenes.examples(arguments.examples)
    bases.update({f"placed_{name}": scene(scenes.Place()) for name, (scene, *_) in scenes.PLACED.items()})
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    numbers = [arguments.only] if arguments.only is not None else range(arguments.first,
                                                                        arguments.first + arguments.cases)
    ended, breaches = {0: 0, 3: 0, 5: 0}, {}
    end = time.monotonic() + arguments.seconds

    def case_in_time(number):
        return one_case(arguments, bases, description, number) if time.monotonic() < end else None

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for index, status, what, breach, setup in filter(None, pool.map(case_in_time, numbers)):
            if breach is None:
                ended[status] += 1
            else:
                breaches[breach.kind] = breaches.get(breach.kind, 0) + 1
                print(f"case {index} ({what}): {breach}", flush=True)
                if arguments.keep and setup is not None:
                    with open(os.path.join(arguments.keep, f"{breach.kind}_{arguments.seed}_{index}.yaml"), "w",
                              encoding="utf-8") as file:
                        json.dump(setup, file, indent=1)
            if arguments.only is not None:
                print(f"case {index}: {what}: {'ended with ' + str(status) if breach is None else 'failed'}")
                print(json.dumps(setup, indent=1))
    total = sum(ended.values()) + sum(breaches.values())
    print(f"mutations: {total} cases of seed {arguments.seed}: {ended[0]} ran, {ended[3]} refused, {ended[5]} stopped; "
          f"{sum(breaches.values())} promises broken {breaches if breaches else ''}".rstrip())
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
