"""The pressure equation: one matrix, our solvers and those of hypre and PETSc."""
import importlib
import json
import os
import shlex

from commands import HERE, build_ours, call, say, stop

PACKAGES = ["g++", "libopenmpi-dev", "openmpi-bin", "pkg-config", "libhypre-dev", "petsc-dev", "python3-numpy"]
TOLERANCE = 1e-6
# Compared with each other: on two cores, and on one, where no CPU time goes into waiting for each other.
PAIRS = [(f"ymir {ours}, {cores} thread{s}", f"{peer}, {cores} rank{s}")
         for cores, s in ((2, "s"), (1, ""))
         for ours in ("multigrid", "SA-AMG")
         for peer in ("hypre BoomerAMG", "PETSc GAMG")]
# The fastest of those tried (see docs/benchmarks.md); poisson_hypre.cpp holds those of hypre.
GAMG_OPTIONS = ["-pc_gamg_aggressive_coarsening", "2"]


class Residual:
    """|b - A x| / |b| of solutions in files, from the matrix in a file (see matrix_file.h)."""

    def __init__(self, path):
        self.numpy = numpy = importlib.import_module("numpy")
        with open(path, "rb") as file:
            if file.read(8) != b"YMIRCSR1":
                stop(f"{path}: no matrix of this benchmark")
            rows, entries = numpy.fromfile(file, numpy.int64, 2)
            self.starts = numpy.fromfile(file, numpy.int32, rows + 1)
            self.columns = numpy.fromfile(file, numpy.int32, entries)
            self.values = numpy.fromfile(file, numpy.float64, entries)
            self.b = numpy.fromfile(file, numpy.float64, rows)

    def of(self, path):
        numpy = self.numpy
        x = numpy.fromfile(path)
        if x.size != self.b.size:
            stop(f"{path}: {x.size} values for {self.b.size} rows")
        product = numpy.add.reduceat(self.values * x[self.columns], self.starts[:-1])
        return float(numpy.linalg.norm(self.b - product) / numpy.linalg.norm(self.b))


def compile_peer(name, folder, include, libraries):
    program, source = os.path.join(folder, name), os.path.join(HERE, name + ".cpp")
    sources = [os.path.join(HERE, file) for file in os.listdir(HERE) if file.endswith((".h", ".cpp"))]
    newest = max(map(os.path.getmtime, sources))
    if not os.path.exists(program) or os.path.getmtime(program) < newest:
        call(["mpicxx", "-std=c++20", "-O3", "-march=x86-64-v3", *include, source, "-o", program, *libraries])
    return program


def build(arguments, folder):
    build_ours(arguments, "poisson_ymir")
    petsc = [shlex.split(call(["pkg-config", flag, "PETSc"])[0]) for flag in ("--cflags", "--libs")]
    return {"ymir": os.path.join(arguments.build, "benchmarks", "peers", "poisson_ymir"),
            "hypre": compile_peer("poisson_hypre", folder, ["-I/usr/include/hypre"], ["-lHYPRE"]),
            "petsc": compile_peer("poisson_petsc", folder, *petsc)}


def solvers(programs, case, n, system, solution):
    """(name, command, environment) of everything that solves a case."""
    mpi = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]
    single = {"OMP_NUM_THREADS": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    threads = {"OMP_WAIT_POLICY": "passive"}  # CPU time is then work, not waiting, on a busy machine too
    ours, hypre, petsc = programs["ymir"], programs["hypre"], programs["petsc"]
    found = []
    for cores, s in (("2", "s"), ("1", "")):
        found += [(f"ymir multigrid, {cores} thread{s}", [ours, "multigrid", case, str(n), solution, cores], threads),
                  (f"ymir SA-AMG, {cores} thread{s}", [ours, "amg", system, solution, cores], threads),
                  (f"hypre BoomerAMG, {cores} rank{s}", [*mpi, cores, hypre, system, solution], single),
                  (f"PETSc GAMG, {cores} rank{s}", [*mpi, cores, petsc, system, solution, *GAMG_OPTIONS], single)]
    return found


def measure(command, environment, repeat, residual, solution):
    """The least CPU times and the least wall times of some runs, which may be different ones."""
    tries = []
    for _ in range(repeat):
        row = json.loads(call(command, environment)[0].splitlines()[-1])
        row["residual"] = residual.of(solution)
        tries.append(row)
    row = min(tries, key=lambda r: r["setup_cpu_s"] + r["solve_cpu_s"])
    fastest = min(tries, key=lambda r: r["setup_s"] + r["solve_s"])
    row["setup_s"], row["solve_s"] = fastest["setup_s"], fastest["solve_s"]
    row["residual"] = max(r["residual"] for r in tries)
    row["cpu_s"], row["wall_s"] = row["setup_cpu_s"] + row["solve_cpu_s"], row["setup_s"] + row["solve_s"]
    row["cores"] = row["cpu_s"] / row["wall_s"]
    return row


def compare(arguments, folder):
    """Rows and ratios."""
    programs = build(arguments, folder)
    system, solution = os.path.join(folder, "system"), os.path.join(folder, "solution")
    n = 32 if arguments.quick else 128
    rows = []
    for case in ("sphere", "cut"):
        call([programs["ymir"], "export", case, str(n), system])
        residual = Residual(system)
        for name, command, environment in solvers(programs, case, n, system, solution):
            say(f"{case}, {n}^3: {name}")
            row = measure(command, environment, arguments.repeat or 3, residual, solution)
            rows.append({"case": f"{case}, {n}^3", "solver": name, "unknowns": int(residual.b.size), **row})
    for size in (16, 32, 64) if arguments.quick else (64, 128, 256):
        say(f"growth: sphere, {size}^3")
        call([programs["ymir"], "export", "sphere", str(size), system])
        residual = Residual(system)
        name, command, environment = solvers(programs, "sphere", size, system, solution)[0]
        row = measure(command, environment, 1, residual, solution)
        rows.append({"case": f"growth, {size}^3", "solver": name, "unknowns": int(residual.b.size), **row})
    os.remove(system)
    os.remove(solution)
    return rows, ratios(rows)


def ratios(rows):
    """Time and memory of the peers by ours, case by case: above 1 ours is better."""
    found = []
    by_case = {}
    for row in rows:
        by_case.setdefault(row["case"], {})[row["solver"]] = row
    for case, of in by_case.items():
        for ours, peer in PAIRS:
            if ours not in of or peer not in of:
                continue
            a, b = of[ours], of[peer]
            found.append({"case": case, "ours": ours, "peer": peer, "cpu": b["cpu_s"] / a["cpu_s"],
                          "wall": b["wall_s"] / a["wall_s"], "solver_memory": b["solver_MB"] / a["solver_MB"],
                          "memory_with_matrix": (b["solver_MB"] + b["matrix_MB"]) / (a["solver_MB"] + a["matrix_MB"])})
    return found


def problem(rows):
    """What makes the comparison worthless, or nothing."""
    return "; ".join(f"{row['case']}, {row['solver']}: the residual is {row['residual']:.2e}, above {TOLERANCE:g}"
                     for row in rows if not row["residual"] <= 1.01 * TOLERANCE)


COLUMNS = ["case", "solver", "unknowns", "setup_cpu_s", "solve_cpu_s", "cpu_s", "setup_s", "solve_s", "wall_s",
           "cores", "iterations", "solver_MB", "matrix_MB", "residual"]
