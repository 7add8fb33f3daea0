"""Bakes the plume of plume.yaml with Blender's Mantaflow and prints one line of JSON.

blender --background --factory-startup --python plume_mantaflow.py -- FOLDER RESOLUTION FRAMES MARGIN HEAT DENSE
MARGIN: voxels that the adaptive domain keeps around smoke; 0: the whole domain. HEAT: the buoyancy coefficient of temperature. DENSE: smoke from which on it counts
for the height. CPU time is counted around the bake, without the start of Blender; grids are looked at afterwards.
"""
import json
import os
import resource
import sys
import time

import bpy
import numpy

SIZE = 2.56  # edge of the domain [m]
FPS = 24
SUBSTEPS = 2
SOURCE = (0.3, 0.2)  # height of the centre of the ball, its radius [m]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def quietly(call, *arguments):
    """Blender 3.4 with Python 3.11 leaves an error of Mantaflow's own script set (a grid it looks for before it is
    made) and reports it after the next call, which has done its work."""
    try:
        return call(*arguments)
    except SystemError:
        return None


def add_domain(folder, resolution, frames, margin, heat):
    bpy.ops.mesh.primitive_cube_add(size=SIZE, location=(0, 0, SIZE / 2))
    domain = bpy.context.object
    modifier = domain.modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = "DOMAIN"
    settings = modifier.domain_settings
    settings.domain_type = "GAS"
    settings.resolution_max = resolution
    settings.use_adaptive_domain = margin > 0
    if margin > 0:
        settings.adapt_margin = margin
    settings.use_noise = False
    # The same two steps in every frame: with equal limits there is nothing left to adapt.
    settings.use_adaptive_timesteps = True
    settings.timesteps_min = settings.timesteps_max = SUBSTEPS
    for side in ("left", "right", "front", "back", "top"):
        setattr(settings, "use_collision_border_" + side, False)
    settings.use_collision_border_bottom = True
    settings.alpha = 0  # smoke weighs nothing
    settings.beta = heat
    settings.vorticity = 0
    settings.cache_type = "ALL"
    settings.cache_frame_start = 1
    settings.cache_frame_end = frames
    settings.cache_data_format = "OPENVDB"
    settings.cache_directory = folder
    return domain


def add_source():
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=SOURCE[1], location=(0, 0, SOURCE[0]))
    source = bpy.context.object
    modifier = source.modifiers.new("Fluid", "FLUID")
    modifier.fluid_type = "FLOW"
    settings = modifier.flow_settings
    settings.flow_type = "SMOKE"
    settings.flow_behavior = "INFLOW"
    settings.density = 1
    settings.temperature = 1
    settings.use_absolute = True
    settings.surface_distance = 0.5
    settings.volume_density = 1


def look(domain, frame, dense):
    """Height of the smoke [m], its amount [m^3] and the voxels of the grid in a frame of the cache."""
    quietly(bpy.context.scene.frame_set, frame)
    settings = domain.evaluated_get(bpy.context.evaluated_depsgraph_get()).modifiers["Fluid"].domain_settings
    nx, ny, nz = settings.domain_resolution
    density = numpy.array(settings.density_grid, dtype=numpy.float32)
    if density.size != nx * ny * nz:
        return None
    density = density.reshape(nz, ny, nx)
    voxel = SIZE / settings.resolution_max
    reached = numpy.nonzero(density.max(axis=(1, 2)) > dense)[0]
    amount = float(density.sum()) * voxel**3
    low = SIZE / 2 + settings.start_point[2]  # start_point is relative to the middle of the domain
    height = low + (int(reached[-1]) + 1) * voxel if reached.size else 0.0
    return {"frame": frame, "height_m": round(height, 3), "smoke_m3": round(amount, 5), "voxels": nx * ny * nz}


def main():
    folder, resolution, frames, margin, heat, dense = sys.argv[sys.argv.index("--") + 1 :]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = 1, int(frames)
    scene.frame_set(1)
    domain = add_domain(folder, int(resolution), int(frames), int(margin), float(heat))
    add_source()
    quietly(bpy.context.view_layer.update)
    bpy.context.view_layer.objects.active = domain
    domain.select_set(True)
    begin, cpu = time.monotonic(), cpu_seconds()
    quietly(bpy.ops.fluid.bake_all)
    wall, cpu = time.monotonic() - begin, cpu_seconds() - cpu
    seen = [look(domain, frame, float(dense)) for frame in range(1, int(frames) + 1)]
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
    row = {"wall_s": wall, "cpu_s": cpu, "cache_MB": size / 1e6, "frames": [s for s in seen if s]}
    print("RESULT " + json.dumps(row))


main()
