"""What both comparisons need: messages, packages, commands with their CPU time."""
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


def install(packages):
    state = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package}\n", *packages],
                           capture_output=True, text=True, check=False).stdout
    installed = {line.split()[1] for line in state.splitlines() if line.startswith("installed ")}
    missing = [name for name in packages if name not in installed]
    if not missing:
        return
    say("installing " + " ".join(missing))
    command = ["apt-get", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", "install", *missing]
    if os.geteuid() != 0:
        command = ["sudo", *command]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run(command, stdout=sys.stderr, env=environment, check=False).returncode != 0:
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
