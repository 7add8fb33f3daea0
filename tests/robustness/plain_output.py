#!/usr/bin/env python3
"""Names of files, inputs, groups and channels with control characters and broken UTF-8, given to every command: whatever
the program prints can be read, and nothing of it steers a terminal. JSON stays JSON.

    plain_output.py build/ymir
"""
import argparse
import json
import os
import subprocess
import tempfile

import program as p

EVIL = [b"\x1b[31mred", b"bell\x07", b"two\nlines", b"back\rward", b"\xff\xfebytes", b"\xc2\x9b31mc1",
        "\u202eevil".encode(), b"del\x7f"]


def must_be_plain(what, text):
    try:
        shown = text.decode()
    except UnicodeDecodeError as error:
        raise p.Failure(f"{what}: prints what is not UTF-8: {error}") from None
    for c in shown:
        code = ord(c)
        if (code < 0x20 and c not in "\n\t") or 0x7f <= code < 0xa0 or 0x2028 <= code <= 0x202e or 0x2066 <= code <= 0x2069:
            raise p.Failure(f"{what}: prints {c!r} raw: {shown!r}")


def call(binary, arguments, folder, codes):
    done = subprocess.run([os.fsencode(binary)] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          timeout=60)
    what = f"{arguments!r}"
    if done.returncode not in codes:
        raise p.Failure(f"{what} ended with {done.returncode}: {done.stderr[-500:]!r}")
    must_be_plain(what, done.stdout)
    must_be_plain(what, done.stderr)
    if b"--json" in arguments and done.returncode in (0, 3) and done.stdout:
        json.loads(done.stdout)
    return done


def setup_text(points=b"", group=b"G", key=b"emit", name=b"in"):
    inputs = b'inputs: {"%s": {points: "%s"}}\n' % (name, points) if points else b""
    return b'ymir: 1\ntime: {frames: [1, 1]}\n%ssetup:\n  - group: "%s"\n    with:\n      - particle_object: {"%s": {rate: 5 Hz}}\n' % (
        inputs, group, key)


def escaped(name):
    """As a YAML double-quoted scalar."""
    return b"".join(b"\\x%02x" % c if c < 0x20 or c == 0x7f else bytes([c]) for c in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    binary = os.path.abspath(parser.parse_args().ymir)
    calls = 0
    refused = (2, 3, 4)
    for evil in EVIL:
        with tempfile.TemporaryDirectory(prefix="ymir-plain-") as base:
            folder = os.fsencode(base)

            def write(name, content):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)

            setup = evil + b".yaml"
            write(setup, setup_text())
            out = b"cache " + evil
            trials = [([b"check", setup], (0,)), ([b"check", setup, b"--json"], (0,)), ([b"explain", setup], (0,)),
                      ([b"run", setup, b"--out", out, b"--no-preview", b"--json"], (0,)), ([b"info", out], (0,)),
                      ([b"info", out, b"--json"], (0,)), ([b"info", evil], refused), ([b"check", evil], refused),
                      ([b"check", b"--json", evil], refused), ([b"run", evil], refused), ([evil], refused),
                      ([b"run", setup, b"--frames", evil], refused), ([b"describe", evil], refused),
                      ([b"preview", evil], refused), ([b"export", evil, evil], refused), ([b"--log", evil], refused),
                      ([b"run", setup, b"--log", evil], refused), ([b"bench", evil], refused),
                      ([b"slice", out, evil + b".png", b"--channel", evil], refused),
                      ([b"groom", b"generate", evil, evil], refused)]
            write(b"mistaken.yaml", setup_text(key=escaped(evil)))
            write(b"grouped.yaml", setup_text(group=escaped(evil)))
            write(b"missing.yaml", setup_text(points=escaped(evil) + b".ply", name=escaped(evil)))
            write(b"raw.yaml", b"ymir: 1\nsetup:\n  - " + evil + b"\n")
            bad_file = evil + b".ply"
            write(bad_file, b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                            b"property float z\nproperty float " + evil.replace(b"\n", b"") + b"\nend_header\n0 0 0 0\n")
            write(b"channel.yaml", setup_text(points=escaped(bad_file)))
            trials.append(([b"info", bad_file], (0, 3)))
            for name in (b"mistaken.yaml", b"grouped.yaml", b"missing.yaml", b"raw.yaml", b"channel.yaml"):
                for command in ([b"check", name], [b"check", name, b"--json"], [b"run", name, b"--out", b"o"]):
                    trials.append((command, (0, 3)))
            for arguments, codes in trials:
                done = call(binary, arguments, folder, codes)
                if evil == b"two\nlines" and arguments[0] != b"groom":
                    for text in (done.stdout, done.stderr):
                        if any(line.startswith(b"lines") for line in text.split(b"\n")):
                            raise p.Failure(f"{arguments!r} breaks a line in a name: {text!r}")
                calls += 1
    return f"plain output: {calls} commands with hostile names, all of it readable"


p.campaign(main)
