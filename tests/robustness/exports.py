#!/usr/bin/env python3
"""What `ymir export` and `ymir groom interpolate` leave and refuse, at the command line.

    exports.py build/ymir tests/determinism/gas.yaml tests/determinism/hair.yaml [--no-vdb]
"""
import argparse
import json
import os
import subprocess
import tempfile

import program as p


def ymir(arguments, expected, *words):
    done = subprocess.run([arguments.ymir, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace")
    if done.returncode != expected:
        raise p.Failure(f"ymir {' '.join(words)} ended with {done.returncode}, not {expected}: {done.stderr[-2000:]}")
    return done


def must(what, truth):
    if not truth:
        raise p.Failure(what)


def smoke(arguments, folder):
    cache = os.path.join(folder, "gas")
    ymir(arguments, 0, "run", arguments.gas, "--out", cache, "--no-preview", "--frames", "1:3")
    left = set(os.listdir(folder))
    ymir(arguments, 2, "export", cache, os.path.join(folder, "smoke.vdb"))  # three frames, one file
    ymir(arguments, 3, "export", cache, os.path.join(folder, "smoke.####.vdb"), "--object", "Nobody")
    ymir(arguments, 3, "export", cache, os.path.join(folder, "none.usda"), "--object", "Nobody")
    must("a refused export left a file", set(os.listdir(folder)) == left)
    for extra in ([], ["--half"]):
        name = "half" if extra else "full"
        ymir(arguments, 0, "export", cache, os.path.join(folder, f"{name}.####.vdb"), *extra)
        for frame in (1, 2, 3):
            must(f"no {name}.{frame:04}.vdb", os.path.isfile(os.path.join(folder, f"{name}.{frame:04}.vdb")))
    info = json.loads(ymir(arguments, 0, "info", os.path.join(folder, "full.0003.vdb"), "--json").stdout)
    must(f"the VDB has no velocity: {info}", "velocity" in json.dumps(info))
    ymir(arguments, 0, "export", cache, os.path.join(folder, "shot.usda"))
    with open(os.path.join(folder, "shot.usda"), encoding="utf-8") as file:
        text = file.read()
    must("the .usda refers to no volume", "def OpenVDBAsset" in text)
    for name in [part.split("@")[0] for part in text.split("@./")[1:]]:
        must(f"the .usda refers to {name}, which is not there", os.path.isfile(os.path.join(folder, name)))


def hair(arguments, folder):
    cache, groom = os.path.join(folder, "hair"), os.path.join(folder, "groom.hair")
    ymir(arguments, 0, "run", arguments.hair, "--out", cache, "--no-preview", "--frames", "1:3")
    ymir(arguments, 3, "export", cache, os.path.join(folder, "none.####.vdb"))
    ymir(arguments, 0, "groom", "generate", "straight", groom, "--strands", "200", "--vertices", "12")
    words = ["groom", "interpolate", groom, cache]
    ymir(arguments, 0, *words, os.path.join(folder, "hairs"), "--object", "Hair")
    info = json.loads(ymir(arguments, 0, "info", os.path.join(folder, "hairs"), "--json").stdout)
    must(f"the cache of hairs has no three frames: {info}", len(info["frames"]) == 3)
    ymir(arguments, 0, *words, os.path.join(folder, "hairs.####.hair"), "--object", "Hair", "--frames", "2:3")
    must("numbered grooms are not there", os.path.isfile(os.path.join(folder, "hairs.0003.hair")))
    ymir(arguments, 2, *words, cache, "--object", "Hair")  # over the cache of the guides
    ymir(arguments, 3, *words, os.path.join(folder, "other"), "--object", "Nobody")
    ymir(arguments, 0, "export", os.path.join(folder, "hairs"), os.path.join(folder, "hairs.usda"), "--clips")
    for name in ("hairs.usda", "hairs.manifest.usda", "hairs.0000.usda", "hairs.0003.usda"):
        must(f"no {name}", os.path.isfile(os.path.join(folder, name)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ymir")
    parser.add_argument("gas")
    parser.add_argument("hair")
    parser.add_argument("--no-vdb", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.no_vdb:
            smoke(arguments, folder)
        hair(arguments, folder)
    return "exports: as promised"


p.campaign(main)
