"""What both comparisons need: messages, packages, commands with their CPU time."""
import glob
import os
import resource
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def say(text):
    print("peers: " + text, file=sys.stderr, flush=True)


def stop(text):
    say(text)
    sys.exit(1)


LINEAR_ALGEBRA = ("libblas.so.3", "liblapack.so.3", "libblas.so", "liblapack.so")


def chosen_libraries():
    """Which of the system's linear algebra libraries programs are linked with: {alternative: file}."""
    names = subprocess.run(["update-alternatives", "--get-selections"], capture_output=True, text=True, check=False).stdout
    rows = (line.split() for line in names.splitlines())
    return {row[0]: row[2] for row in rows if len(row) == 3 and row[0].startswith(LINEAR_ALGEBRA)}


def as_root(command):
    return command if os.geteuid() == 0 else ["sudo", *command]


def keep_libraries(before):
    """A peer may bring a BLAS with threads, and Debian then lets every program use it: choose what was chosen before."""
    for name, file in chosen_libraries().items():
        if before.get(name, file) != file:
            say(f"{name} stays {before[name]}")
            subprocess.run(as_root(["update-alternatives", "--set", name, before[name]]), stdout=sys.stderr, check=True)


def fast_blas():
    """Variables for a peer that is measured with the fastest BLAS that is installed, whatever the system's choice is."""
    folders = sorted(glob.glob("/usr/lib/*/openblas-*"))
    return {"LD_LIBRARY_PATH": folders[0]} if folders else {}


def install(packages):
    state = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *packages],
                           capture_output=True, text=True, check=False).stdout
    installed = {line.split()[1] for line in state.splitlines() if line.startswith("installed ")}
    missing = [name for name in packages if name not in installed]
    if not missing:
        return
    say("installing " + " ".join(missing))
    command = as_root(["apt-get", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "install", *missing])
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    before = chosen_libraries()
    failed = subprocess.run(command, stdout=sys.stderr, env=environment, check=False).returncode != 0
    keep_libraries(before)
    if failed:
        stop("could not install " + " ".join(missing) + "; see the messages of apt-get above")


def call(command, environment=None):
    """Standard output of a command that must succeed, and the CPU and wall seconds it took."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        stop(shlex.join(command) + f" ended with {done.returncode}:\n" + done.stdout[-2000:] + done.stderr[-2000:])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, cpu, wall


def build_ours(arguments, target):
    if not os.path.exists(os.path.join(arguments.build, "CMakeCache.txt")):
        stop(f"{arguments.build}: no build of Ymir; run ./setup, or name another folder with --build")
    if not arguments.no_build:
        say("building " + target)
        call(["cmake", "--build", arguments.build, "--target", target])
