"""One Newton iteration of a soft cube: our assembly and solvers, and those of GetFEM."""
import importlib
import json
import os

from commands import HERE, build_ours, call, say

PACKAGES = ["g++", "libgetfem-dev", "libmumps-seq-dev", "python3-numpy"]
# Displacements that solvers may differ by: both iterate to 1e-6 of the right side.
AGREEMENT = 1e-4
MUMPS = ["-DGMM_USES_MUMPS", "-DGMM_USES_BLAS", "-I/usr/include/mumps_seq"]
LIBRARIES = ["-lgetfem", *(f"-l{kind}mumps_seq" for kind in "dzsc"), "-lblas"]


def build(arguments, folder):
    build_ours(arguments, "solids_ymir")
    program, source = os.path.join(folder, "solids_getfem"), os.path.join(HERE, "solids_getfem.cpp")
    sources = [os.path.join(HERE, file) for file in os.listdir(HERE) if file.endswith((".h", ".cpp"))]
    newest = max(map(os.path.getmtime, sources))
    if not os.path.exists(program) or os.path.getmtime(program) < newest:
        say("building solids_getfem")
        call(["g++", "-std=c++17", "-O3", "-march=x86-64-v3", *MUMPS, source, "-o", program, *LIBRARIES])
    return os.path.join(arguments.build, "benchmarks", "peers", "solids_ymir"), program


def solvers(ours, getfem, side, solution):
    """(name, command) of everything that solves a case; direct solvers where they take seconds."""
    n = str(side)
    found = [("ymir cg, 1 thread", [ours, n, solution, "cg", "1"]),
             ("ymir cg, 2 threads", [ours, n, solution, "cg", "2"]),
             ("getfem finite strain, cg", [getfem, n, solution, "finite", "cg"]),
             ("getfem linear, cg", [getfem, n, solution, "linear", "cg"])]
    if side <= 24:
        found += [("ymir direct, 1 thread", [ours, n, solution, "direct", "1"])]
    if side <= 16:
        found += [("getfem finite strain, mumps", [getfem, n, solution, "finite", "mumps"])]
    return found


def measure(command, repeat):
    """The least CPU and wall times of some runs."""
    tries = [json.loads(call(command, {"OMP_WAIT_POLICY": "passive"})[0].splitlines()[-1]) for _ in range(repeat)]
    row = {"assembly_cpu_s": min(r["setup_cpu_s"] for r in tries), "solve_cpu_s": min(r["solve_cpu_s"] for r in tries),
           "assembly_s": min(r["setup_s"] for r in tries), "solve_s": min(r["solve_s"] for r in tries),
           "iterations": tries[0]["iterations"], "matrix_MB": tries[0]["matrix_MB"]}
    row["cpu_s"], row["wall_s"] = row["assembly_cpu_s"] + row["solve_cpu_s"], row["assembly_s"] + row["solve_s"]
    return row


def compare(arguments, folder):
    """Rows and ratios."""
    numpy = importlib.import_module("numpy")
    ours, getfem = build(arguments, folder)
    solution = os.path.join(folder, "solution")
    rows = []
    for side in (6, 12) if arguments.quick else (12, 24, 55):
        reference = None
        for name, command in solvers(ours, getfem, side, solution):
            say(f"{6 * side ** 3} tetrahedra: {name}")
            row = measure(command, arguments.repeat or (1 if side > 32 else 3))
            x = numpy.fromfile(solution)
            reference = x if reference is None else reference
            row["difference"] = float(numpy.abs(x - reference).max() / numpy.abs(reference).max())
            row["us_per_cell"] = 1e6 * row["cpu_s"] / (6 * side ** 3)
            rows.append({"case": f"{6 * side ** 3} tetrahedra", "solver": name, **row})
    os.remove(solution)
    return rows, ratios(rows)


def ratios(rows):
    """Times of the peers by ours on one thread, case by case: above 1 ours is better."""
    found = []
    for row in rows:
        mine = next(r for r in rows if r["case"] == row["case"])
        if row["solver"].startswith("getfem"):
            found.append({"case": row["case"], "ours": mine["solver"], "peer": row["solver"],
                          "assembly": row["assembly_cpu_s"] / mine["assembly_cpu_s"],
                          "solve": row["solve_cpu_s"] / mine["solve_cpu_s"], "both": row["cpu_s"] / mine["cpu_s"]})
    return found


def problem(rows):
    """What makes the comparison worthless, or nothing."""
    return "; ".join(f"{row['case']}, {row['solver']}: displacements differ by {row['difference']:.2e}"
                     for row in rows if not row["difference"] <= AGREEMENT)


COLUMNS = ["case", "solver", "assembly_cpu_s", "solve_cpu_s", "cpu_s", "wall_s", "us_per_cell", "iterations",
           "matrix_MB", "difference"]
