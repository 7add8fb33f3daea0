"""A plume: Blender's Mantaflow, headless, and `ymir run` on plume.yaml."""
import importlib
import json
import os
import shutil

from commands import HERE, build_ours, call, say, stop

PACKAGES = ["blender", "python3-numpy", "python3-h5py"]
# Buoyancy of the source per unit of gravity: (420 K - 293.15 K) / 293.15 K as in plume.yaml.
HEAT = 0.43271
# Smoke this dense counts for the height of the plume.
DENSE = 0.1


def bake(folder, n, frames, adaptive):
    cache = os.path.join(folder, "mantaflow")
    shutil.rmtree(cache, ignore_errors=True)
    os.makedirs(cache)
    output = call(["blender", "--background", "--threads", "2", "--factory-startup",
                   "--python", os.path.join(HERE, "plume_mantaflow.py"), "--", cache, str(n), str(frames),
                   "1" if adaptive else "0", str(HEAT), str(DENSE)])[0]
    found = [line[7:] for line in output.splitlines() if line.startswith("RESULT ")]
    if not found:
        stop("Blender baked nothing:\n" + output[-2000:])
    row = json.loads(found[-1])
    if len(row["frames"]) != frames:
        stop(f"Blender baked {len(row['frames'])} of {frames} frames")
    shutil.rmtree(cache)
    return row


def look(path, frame):
    """Height of the smoke [m], its amount [m^3] and the voxels of a frame of ours."""
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
            "smoke_m3": round(float(density.sum(dtype=numpy.float64)) * voxel**3, 5), "voxels": 512 * len(buckets)}


def simulate(program, folder, n, frames, sparse):
    cache, setup = os.path.join(folder, "ymir"), os.path.join(folder, "plume.yaml")
    shutil.rmtree(cache, ignore_errors=True)
    with open(os.path.join(HERE, "plume.yaml"), encoding="utf-8") as file:
        text = file.read().replace("voxel: 2 cm", f"voxel: {256 / n:g} cm")
    with open(setup, "w", encoding="utf-8") as file:
        file.write(text.replace("fill: true", "fill: false") if sparse else text)
    _, cpu, wall = call([program, "run", setup, "--no-preview", "--threads", "2", "--out", cache,
                         "--frames", f"1:{frames}"])
    row = {"cpu_s": cpu, "wall_s": wall, "cache_MB": sum(entry.stat().st_size for entry in os.scandir(cache)) / 1e6,
           "frames": [look(os.path.join(cache, f"frame_{frame:06d}.h5"), frame) for frame in range(1, frames + 1)]}
    shutil.rmtree(cache)
    return row


def compare(arguments, folder):
    """Rows and ratios."""
    build_ours(arguments.build, "ymir")
    program = os.path.join(arguments.build, "ymir")
    n, frames = (32, 6) if arguments.quick else (128, arguments.frames)
    runs = [("filled", "ymir", lambda: simulate(program, folder, n, frames, False)),
            ("filled", "mantaflow", lambda: bake(folder, n, frames, False)),
            ("sparse", "ymir", lambda: simulate(program, folder, n, frames, True)),
            ("sparse", "mantaflow, adaptive domain", lambda: bake(folder, n, frames, True))]
    rows = []
    for case, solver, run in runs:
        say(f"{case}, {n}^3, {frames} frames: {solver}")
        tries = [run() for _ in range(arguments.repeat or 2)]
        best = min(tries, key=lambda r: r["cpu_s"])
        voxels = sum(f["voxels"] for f in best["frames"]) / frames
        rows.append({"case": f"{case}, {n}^3", "solver": solver, "frames": frames, "substeps": 2,
                     "cpu_s_per_frame": best["cpu_s"] / frames, "wall_s_per_frame": min(t["wall_s"] for t in tries) / frames,
                     "voxels": round(voxels), "us_per_voxel_and_step": 1e6 * best["cpu_s"] / (2 * frames * voxels),
                     "cache_MB": best["cache_MB"], "height_m": best["frames"][-1]["height_m"],
                     "smoke_m3": best["frames"][-1]["smoke_m3"],
                     "heights": {f["frame"]: f["height_m"] for f in best["frames"]}})
    return rows, ratios(rows)


def ratios(rows):
    """Time of Mantaflow by ours: above 1 ours is better."""
    return [{"case": a["case"], "ours": a["solver"], "peer": b["solver"],
             "cpu": b["cpu_s_per_frame"] / a["cpu_s_per_frame"], "wall": b["wall_s_per_frame"] / a["wall_s_per_frame"],
             "cpu_per_voxel": b["us_per_voxel_and_step"] / a["us_per_voxel_and_step"],
             "voxels": b["voxels"] / a["voxels"]}
            for a, b in zip(rows[::2], rows[1::2])]


COLUMNS = ["case", "solver", "frames", "substeps", "cpu_s_per_frame", "wall_s_per_frame", "voxels", "us_per_voxel_and_step",
           "cache_MB", "smoke_m3", "height_m"]
