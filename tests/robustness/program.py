"""The program under test and the caches it leaves, for the campaigns of this folder."""
import hashlib
import json
import os
import signal
import subprocess
import sys


class Failure(Exception):
    """A promise of the program that it did not keep."""


class Program:
    def __init__(self, binary, setup):
        self.binary = os.path.abspath(binary)
        self.setup = os.path.abspath(setup)

    def start(self, folder, resume=False):
        command = [self.binary, "run", self.setup, "--no-preview", "--out", folder] + (["--resume"] if resume else [])
        # A session of its own, so that one signal reaches whatever the program starts.
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace", start_new_session=True)

    def run(self, folder, resume=False):
        """Runs to the end; returns (exit status, output)."""
        process = self.start(folder, resume)
        output, _ = process.communicate()
        return process.returncode, output

    def must_run(self, folder, resume=False):
        status, output = self.run(folder, resume)
        if status != 0:
            raise Failure(f"{'resumed ' if resume else ''}run in {folder} ended with {status}: {output[-2000:]}")

    def info(self, folder):
        """Returns (exit status, output)."""
        done = subprocess.run([self.binary, "info", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
        return done.returncode, done.stdout

    def hashes(self, folder):
        """State hash of every frame, by number, as the program itself reports them."""
        done = subprocess.run([self.binary, "info", folder, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace")
        if done.returncode != 0:
            raise Failure(f"info {folder} --json ended with {done.returncode}: {done.stderr[-2000:]}")
        return {frame["number"]: frame["hash"] for frame in json.loads(done.stdout)["frames"]}


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def kill_one(process):
    process.kill()
    process.communicate()


def readable_manifest(folder):
    """The manifest of a folder, or None when there is none or it is no JSON."""
    try:
        return manifest(folder)
    except (ValueError, UnicodeDecodeError):
        return None


def manifest(folder):
    """The manifest of a folder, or None when there is none."""
    for name in ("manifest.json", "manifest.previous.json"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            pass
    return None


def tree(folder):
    """Names and digests of everything below a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


def cache_files(folder):
    return sorted(name for name in os.listdir(folder)
                  if name.startswith(("frame_", "checkpoint_", "manifest.")) and name.endswith((".h5", ".json")))


def digests(folder):
    """SHA-256 of every frame file the manifest lists, by number."""
    found = {}
    for frame in manifest(folder)["frames"]:
        with open(os.path.join(folder, frame["file"]), "rb") as file:
            found[frame["number"]] = hashlib.sha256(file.read()).hexdigest()
    return found


class Reference:
    """What an undisturbed run gives."""

    def __init__(self, program, folder):
        program.must_run(folder)
        self.program = program
        self.folder = folder
        self.hashes = program.hashes(folder)
        self.digests = digests(folder)
        if not self.hashes or set(self.hashes) != set(self.digests):
            raise Failure(f"the undisturbed run left {len(self.hashes)} frames and {len(self.digests)} files")

    def must_equal(self, folder):
        if self.program.hashes(folder) != self.hashes:
            raise Failure(f"{folder}: state hashes differ from the undisturbed run")
        if digests(folder) != self.digests:
            raise Failure(f"{folder}: frame files differ from the undisturbed run")


def campaign(main):
    """Runs main() and turns a Failure into a line and an exit status."""
    try:
        print(main())
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
