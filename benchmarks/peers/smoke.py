"""A plume: Blender's Mantaflow, headless, and `ymir run` on plume.yaml."""
import importlib
import json
import os
import pty
import re
import resource
import shutil
import subprocess
import time

from commands import HERE, build_ours, call, say, stop

PACKAGES = ["blender", "python3-numpy", "python3-h5py"]
# Blender's buoyancy of heat (1 by default) with which its plume rises as ours does.
HEAT = 1.1
# Voxels kept around the smoke, ours and Blender's; 0: all of the box. Narrow: Blender's default, and what makes our plume
# rise as much faster than in the whole box as it makes Blender's. Wide: our default, and the most that Blender allows.
MARGINS = {"whole box": (0, 0), "narrow margin": (12, 4), "wide margin": (24, 24)}
SUBSTEPS = 2  # of plume.yaml and plume_mantaflow.py
# Smoke this dense counts for the height of the plume.
DENSE = 0.1


def bake(folder, n, frames, margin):
    cache = os.path.join(folder, "mantaflow")
    shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(cache)
    output = call(["blender", "--background", "--threads", "2", "--factory-startup",
                   "--python", os.path.join(HERE, "plume_mantaflow.py"), "--", cache, str(n), str(frames),
                   str(margin), str(HEAT), str(DENSE)])[0]
    found = [line[7:] for line in output.splitlines() if line.startswith("RESULT ")]
    if not found:
        stop("Blender baked nothing:\n" + output[-2000:])
    row = json.loads(found[-1])
    if len(row["frames"]) != frames:
        stop(f"Blender baked {len(row['frames'])} of {frames} frames")
    row["voxels"] = sum(f["voxels"] for f in row["frames"]) / frames
    shutil.rmtree(cache)
    return row


def look(path, frame):
    """Height of the smoke [m] and its amount [m^3] in a frame of ours."""
    numpy, h5py = importlib.import_module("numpy"), importlib.import_module("h5py")
    found = []
    with h5py.File(path) as file:
        file["objects"].visititems(lambda _, item: found.append(item) if "bucket_size" in item.attrs else None)
        gas = found[0]
        voxel = float(gas.attrs["bucket_size"]) / 8
        buckets = gas["bucket"][:]
        density = gas["density"][:].reshape(len(buckets), 8, 8, 8)  # z, y, x within a bucket
    layers = 8 * buckets[:, 1:2] + numpy.arange(8)
    reached = layers[density.max(axis=(1, 3)) > DENSE]
    return {"frame": frame, "height_m": round((int(reached.max()) + 1) * voxel, 3) if reached.size else 0.0,
            "smoke_m3": round(float(density.sum(dtype=numpy.float64)) * voxel**3, 5)}


def run_on_terminal(command):
    """CPU and wall seconds of a run of ours, and the voxels of its frames as it shows them on a terminal."""
    terminal, side = pty.openpty()
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # CPU time is then work, not waiting
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=side, env=environment) as process:
        os.close(side)
        shown = b""
        try:
            while part := os.read(terminal, 65536):
                shown += part
        except OSError:  # how the end of a terminal reads
            pass
        os.close(terminal)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    text = shown.decode(errors="replace")
    if process.returncode != 0:
        stop(" ".join(command) + f" ended with {process.returncode}:\n" + text[-2000:])
    voxels = {int(frame): int(count.replace(",", ""))
              for frame, count in re.findall(r"frame (\d+) of \d+  substep \d+, ([\d,]+) elements", text)}
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, voxels


def simulate(program, folder, n, frames, margin):
    """All of the box, or with `margin` voxels around the smoke."""
    cache, setup = os.path.join(folder, "ymir"), os.path.join(folder, "plume.yaml")
    shutil.rmtree(cache, ignore_errors=True)
    with open(os.path.join(HERE, "plume.yaml"), encoding="utf-8") as file:
        text = file.read().replace("{voxel: 2 cm", f"{{voxel: {256 / n:g} cm")
    if margin:
        text = text.replace("fill: true", "fill: false").replace("{voxel:", f"{{padding: {margin / 8:g}, voxel:")
    with open(setup, "w", encoding="utf-8") as file:
        file.write(text)
    cpu, wall, voxels = run_on_terminal([program, "run", setup, "--no-preview", "--threads", "2", "--out", cache,
                                         "--frames", f"1:{frames}"])
    row = {"cpu_s": cpu, "wall_s": wall, "cache_MB": sum(entry.stat().st_size for entry in os.scandir(cache)) / 1e6,
           "voxels": sum(voxels.values()) / len(voxels) if voxels else 0,
           "frames": [look(os.path.join(cache, f"frame_{frame:06d}.h5"), frame) for frame in range(1, frames + 1)]}
    shutil.rmtree(cache)
    return row


def compare(arguments, folder):
    """Rows and ratios."""
    build_ours(arguments, "ymir")
    program = os.path.join(arguments.build, "ymir")
    n, frames = (32, 6) if arguments.quick else (128, arguments.frames)
    runs = []
    for case, (ours, theirs) in MARGINS.items():
        runs += [(case, "ymir", lambda m=ours: simulate(program, folder, n, frames, m)),
                 (case, "mantaflow", lambda m=theirs: bake(folder, n, frames, m))]
    rows = []
    for case, solver, run in runs:
        say(f"{case}, {n}^3, {frames} frames: {solver}")
        tries = [run() for _ in range(arguments.repeat or 2)]
        best = min(tries, key=lambda r: r["cpu_s"])
        steps = SUBSTEPS * frames
        rows.append({"case": f"{case}, {n}^3", "solver": solver, "frames": frames, "substeps": SUBSTEPS,
                     "cpu_s_per_frame": best["cpu_s"] / frames,
                     "wall_s_per_frame": min(t["wall_s"] for t in tries) / frames,
                     "cores": best["cpu_s"] / best["wall_s"], "voxels": round(best["voxels"]),
                     "us_per_voxel_and_step": 1e6 * best["cpu_s"] / (steps * best["voxels"]) if best["voxels"] else 0.0,
                     "cache_MB": best["cache_MB"], "smoke_m3": best["frames"][-1]["smoke_m3"],
                     "heights": {f["frame"]: f["height_m"] for f in best["frames"]}})
    return rows, ratios(rows)


def ratios(rows):
    """Time of Mantaflow by ours: above 1 ours is better."""
    return [{"case": a["case"], "peer": b["solver"],
             "cpu": b["cpu_s_per_frame"] / a["cpu_s_per_frame"], "wall": b["wall_s_per_frame"] / a["wall_s_per_frame"],
             "voxels": b["voxels"] / a["voxels"] if a["voxels"] else 0.0}
            for a in rows for b in rows
            if a["case"] == b["case"] and a["solver"] == "ymir" and b["solver"] == "mantaflow"]


def problem(rows):
    """What makes the comparison worthless, or nothing: plumes of a case that differ by more than 12 % in their rise."""
    last = max(rows[0]["heights"])
    found = []
    for case in dict.fromkeys(row["case"] for row in rows):
        rises = [(row["heights"][last] - row["heights"][1], row["solver"]) for row in rows if row["case"] == case]
        (low, slow), (high, fast) = min(rises), max(rises)
        if high - low > 0.12 * high + 0.001:
            found.append(f"{case}: {fast} rises by {high:.2f} m, {slow} by {low:.2f} m: not the same plume")
    return "; ".join(found)


COLUMNS = ["case", "solver", "frames", "substeps", "cpu_s_per_frame", "wall_s_per_frame", "cores", "voxels",
           "us_per_voxel_and_step", "cache_MB", "smoke_m3"]
