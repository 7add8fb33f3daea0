#!/usr/bin/env python3
"""Checks the structure of the source tree that docs/architecture.md promises. Prints one line per breach."""

import re
import sys
from pathlib import Path

# Top to bottom; a module includes itself and those after it.
ORDER = ("setup behaviors actions objects solids pipeline cache preview grooms fluid solvers data physics parallel param math "
         "base").split()
# Modules that reach less far down than the order allows.
ONLY = {
    "physics": {"physics", "math", "base"},
    "cache": {"cache", "data", "parallel", "math", "base"},
    "grooms": {"grooms", "data", "physics", "parallel", "math", "base"},
}

# Headers that cost seconds per translation unit: never in a header, and one source file each in src/ and in each host.
HEAVY = {
    "OpenVDB": r"openvdb/",
    "CLI11": r"CLI/",
    "yaml-cpp": r"yaml-cpp/",
    "Embree": r"embree\d*/",
    "HDF5": r"(hdf5|H5\w+)\.h$",
    "libpng": r"png\.h$",
    "MPI": r"mpi\.h$",
}
# Where a library may appear at all within src/ymir.
HOME = {"yaml-cpp": "setup", "MPI": "parallel"}
# Modules that write OpenMP loops; everyone else uses theirs.
THREADED = {"parallel", "data", "solvers"}
NEVER_IN_A_HEADER = {"nlohmann json": r"nlohmann/json\.hpp$", "spdlog": r"spdlog/"}
THREADS = re.compile(r"^[ \t]*#[ \t]*(include\s*<omp\.h>|pragma\s+omp\b(?!\s+(declare\s+)?simd))", re.MULTILINE)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.}~-])/(?:work|home|root|Users|mnt)/\w")
HEADER_LINES, SOURCE_LINES = 400, 900

CODE = {".h", ".cpp", ".cu", ".cuh"}
TEXT = CODE | {".py", ".sh", ".md", ".yaml", ".yml", ".json", ".cmake", ".txt", ".bib", ""}
SKIPPED = re.compile(r"^(build.*|out|\.git|\.cache|__pycache__|corpus|node_modules|\.venv|shared)$")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def files(root, folder="."):
    for path in sorted((root / folder).iterdir() if (root / folder).is_dir() else ()):
        relative = path.relative_to(root)
        if SKIPPED.match(path.name):
            continue
        if path.is_dir():
            yield from files(root, relative)
        elif path.suffix in TEXT:
            yield relative


def check_includes(path, text, breaches):
    parts = path.parts
    module = parts[2] if parts[:2] == ("src", "ymir") and len(parts) > 3 else None
    if parts[0] == "src" and module not in ORDER:
        breaches.append(f"{path}: not in a module of src/ymir; the modules are {', '.join(ORDER)}")
        return
    for found in INCLUDE.finditer(text):
        target = found[2]
        if not module or not target.startswith("ymir/"):
            continue
        to = target.split("/")[1]
        allowed = ONLY.get(module, ORDER[ORDER.index(module):])
        if to not in allowed:
            breaches.append(f"{path}:{line_of(text, found.start())}: {module} must not include {to} ({target}); "
                            f"it may include {', '.join(m for m in ORDER if m in allowed)}")
    threads = THREADS.search(text)
    if module and module not in THREADED and threads:
        breaches.append(f"{path}:{line_of(text, threads.start())}: OpenMP in {module}/; "
                        "use the loops of ymir/parallel/threads.h")


def check_libraries(path, text, users, breaches):
    is_header = path.suffix in {".h", ".cuh"}
    for found in INCLUDE.finditer(text):
        place = f"{path}:{line_of(text, found.start())}"
        for name, pattern in (HEAVY | NEVER_IN_A_HEADER).items():
            if not re.match(pattern, found[2]):
                continue
            if is_header:
                breaches.append(f"{place}: {name} in a header; keep it behind one source file")
            home = HOME.get(name)
            if home and path.parts[0] == "src" and path.parts[2] != home:
                breaches.append(f"{place}: {name} outside {home}/")
            if name in HEAVY and not is_header:
                unit = "src" if path.parts[0] == "src" else "/".join(path.parts[:2])
                users.setdefault((unit, name), set()).add(path)


def check(root):
    breaches, users = [], {}
    for path in files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = MACHINE_PATH.search(text)
        if found:
            breaches.append(f"{path}:{line_of(text, found.start())}: a path of one machine: {found[0]}...")
        if path.suffix not in CODE:
            continue
        lines, limit = text.count("\n"), HEADER_LINES if path.suffix in {".h", ".cuh"} else SOURCE_LINES
        if lines > limit:
            breaches.append(f"{path}: {lines} lines, more than {limit}; split it")
        if path.parts[0] in {"src", "hosts"}:
            check_includes(path, text, breaches)
            check_libraries(path, text, users, breaches)
    for (unit, name), paths in sorted(users.items()):
        if len(paths) > 1:
            breaches.append(f"{unit}: {name} in {len(paths)} source files ({', '.join(map(str, sorted(paths)))}); "
                            "keep it behind one")
    return breaches


if __name__ == "__main__":
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
    if not (tree / "src" / "ymir").is_dir():
        sys.exit(f"{tree}: no src/ymir here")
    result = check(tree)
    print("\n".join(result) or "layering: ok")
    sys.exit(1 if result else 0)
