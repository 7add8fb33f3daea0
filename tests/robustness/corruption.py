#!/usr/bin/env python3
"""Flips bits in, and truncates, the files of a real cache. `ymir info` must refuse the cache and name the file; `ymir run
--resume` must recover the frames of the undisturbed run.

    corruption.py build/ymir examples/embers.yaml --flips 2000 --truncations 500 --recoveries 20
"""
import argparse
import os
import random
import shutil
import tempfile

import program as p

INTERNAL_ERROR = 70


def damage(content, dice, truncate):
    if truncate:
        return content[:dice.randrange(len(content))]
    at = dice.randrange(8 * len(content))
    changed = bytearray(content)
    changed[at // 8] ^= 1 << (at % 8)
    return bytes(changed)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def damaged_file(folder, dice, truncate):
    """Damages one file; returns (name, content before)."""
    name = dice.choice(p.cache_files(folder))
    path = os.path.join(folder, name)
    with open(path, "rb") as file:
        content = file.read()
    write(path, damage(content, dice, truncate))
    return name, content


def must_report(program, folder, name, trial):
    status, output = program.info(folder)
    if status <= 0 or status == INTERNAL_ERROR or status > 128:
        raise p.Failure(f"{trial}: info ended with {status} on a damaged {name}: {output[-2000:]}")
    if name not in output:
        raise p.Failure(f"{trial}: info does not name the damaged {name}: {output[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("setup")
    parser.add_argument("--flips", type=int, default=2000)
    parser.add_argument("--truncations", type=int, default=500)
    parser.add_argument("--recoveries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = p.Program(arguments.ymir, arguments.setup)
    with tempfile.TemporaryDirectory(prefix="ymir-corruption-") as base:
        reference = p.Reference(program, os.path.join(base, "undisturbed"))
        status, output = program.info(reference.folder)
        if status != 0:
            raise p.Failure(f"info ended with {status} on an intact cache: {output[-2000:]}")
        for trial in range(arguments.flips + arguments.truncations):
            dice = random.Random(f"{arguments.seed} {trial}")
            name, content = damaged_file(reference.folder, dice, truncate=trial >= arguments.flips)
            must_report(program, reference.folder, name, f"trial {trial}")
            write(os.path.join(reference.folder, name), content)
        for trial in range(arguments.recoveries):
            dice = random.Random(f"{arguments.seed} recovery {trial}")
            folder = os.path.join(base, "recovered")
            shutil.copytree(reference.folder, folder)
            damaged_file(folder, dice, truncate=trial % 2 == 1)
            program.must_run(folder, resume=True)
            reference.must_equal(folder)
            shutil.rmtree(folder)
    return (f"corruption: {arguments.flips} flipped bits and {arguments.truncations} truncations, all reported by name; "
            f"{arguments.recoveries} resumed runs, all identical to the undisturbed run")


if __name__ == "__main__":
    p.campaign(main)
