"""Exact Coulomb friction: our ladder and four solvers of Siconos on problems of FCLIB, one thread each."""
import json
import os
import subprocess

from commands import HERE, build_ours, call, fast_blas, say, stop

PACKAGES = ["g++", "libsiconos-numerics-dev"]
SOLVERS = ["nsgs:hybrid", "nsgs:projection", "newton:alart_curnier", "newton:fischer_burmeister"]
TOLERANCE = 1e-6  # of Siconos' own measure, its relative natural map
TIMEOUT = 60  # seconds of wall time; some of its solvers do not end on some problems
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
COLUMNS = ["case", "solver", "contacts", "iterations", "cpu_s", "error", "natural", "solved"]


def build(arguments, folder):
    build_ours(arguments, "friction_ymir")
    program, source = os.path.join(folder, "friction_siconos"), os.path.join(HERE, "friction_siconos.cpp")
    newest = max(os.path.getmtime(os.path.join(HERE, name)) for name in os.listdir(HERE) if name.endswith((".h", ".cpp")))
    if not os.path.exists(program) or os.path.getmtime(program) < newest:
        say("building friction_siconos")
        call(["g++", "-std=c++17", "-O3", "-march=x86-64-v3", "-I/usr/include/siconos", "-I/usr/include/siconos/numerics",
              "-I/usr/include/siconos/externals", source, "-o", program, "-lsiconos_numerics", "-lsiconos_externals"])
    return os.path.join(arguments.build, "benchmarks", "peers", "friction_ymir"), program


def problems(arguments):
    folder = arguments.problems
    names = sorted(name for name in os.listdir(folder) if name.endswith(".hdf5")) if os.path.isdir(folder) else []
    if not names:
        stop(f"{folder}: no problems (.hdf5) here; name a folder with --problems")
    if arguments.quick:
        names = names[:3]
    return [os.path.join(folder, name) for name in names]


def siconos(program, case, solver, contacts):
    """Its row, without figures where it crashed or did not end."""
    iterations = 10000 if contacts < 1000 else 3000
    try:
        done = subprocess.run([program, case, solver, str(iterations)], capture_output=True, text=True, check=False,
                              timeout=TIMEOUT, env={**os.environ, **ALONE, **fast_blas()})
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError):
        return {"contacts": contacts, "iterations": 0, "cpu_s": float(TIMEOUT), "error": 1e300, "natural": 1e300}


def compare(arguments, folder):
    """Rows and ratios."""
    ours, peer = build(arguments, folder)
    case = os.path.join(folder, "friction_case")
    rows = []
    for path in problems(arguments):
        name = os.path.splitext(os.path.basename(path))[0]
        say(name)
        row = json.loads(call([ours, path, case], ALONE)[0].splitlines()[-1])
        row["solved"] = "yes" if max(row["error"], row["natural"]) <= TOLERANCE else "no"
        rows.append({"case": name, "solver": "ymir", **row})
        for solver in SOLVERS:
            row = siconos(peer, case, solver, rows[-1]["contacts"])
            row["solved"] = "yes" if row["natural"] <= TOLERANCE else "no"
            rows.append({"case": name, "solver": "siconos " + solver, **row})
    os.remove(case)
    return rows, ratios(rows)


def ratios(rows):
    """Per problem the fastest of Siconos' solvers that solved it, by ours; and the sums over those problems."""
    found, mine, theirs = [], 0.0, 0.0
    for own in (row for row in rows if row["solver"] == "ymir"):
        rivals = [row for row in rows if row["case"] == own["case"] and row is not own and row["solved"] == "yes"]
        if not rivals:
            found.append({"case": own["case"], "peer": "none solved it", "ours_s": own["cpu_s"], "peer_s": "", "ratio": ""})
            continue
        best = min(rivals, key=lambda row: row["cpu_s"])
        mine, theirs = mine + own["cpu_s"], theirs + best["cpu_s"]
        found.append({"case": own["case"], "peer": best["solver"], "ours_s": own["cpu_s"], "peer_s": best["cpu_s"],
                      "ratio": best["cpu_s"] / own["cpu_s"]})
    if theirs > 0:
        found.append({"case": "sum of those it solved", "peer": "the fastest of each", "ours_s": mine, "peer_s": theirs,
                      "ratio": theirs / mine})
    return found


def problem(rows):
    """What makes the comparison worthless, or nothing."""
    return "; ".join(f"{row['case']}: ours ends at {row['error']:.2e} and {row['natural']:.2e}"
                     for row in rows if row["solver"] == "ymir" and row["solved"] != "yes")
