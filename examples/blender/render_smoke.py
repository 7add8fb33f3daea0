"""Renders a VDB of `ymir export` with Blender (3.4 and later), on the CPU.

    blender --background --python examples/blender/render_smoke.py -- smoke.0048.vdb smoke.png [WIDTH HEIGHT SAMPLES]
"""
import math
import os
import sys

import bpy
from mathutils import Vector

arguments = sys.argv[sys.argv.index("--") + 1:]
volume_file, picture = (os.path.abspath(a) for a in arguments[:2])
width, height, samples = (int(a) for a in arguments[2:5]) if len(arguments) > 2 else (480, 640, 32)

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.object.volume_import(filepath=volume_file)
smoke = bpy.context.object
# Ymir has y up, Blender z.
smoke.rotation_euler = (math.pi / 2, 0, 0)
grids = smoke.data.grids
grids.load()
print("grids:", ", ".join(f"{grid.name} ({grid.data_type})" for grid in grids))
if "density" not in grids:
    sys.exit(f"{volume_file}: has no grid density")

material = bpy.data.materials.new("smoke")
material.use_nodes = True
nodes, links = material.node_tree.nodes, material.node_tree.links
nodes.clear()
output = nodes.new("ShaderNodeOutputMaterial")
shader = nodes.new("ShaderNodeVolumePrincipled")
shader.inputs["Density"].default_value = 40  # per metre where the density is 1
shader.inputs["Color"].default_value = (0.75, 0.75, 0.78, 1)
links.new(shader.outputs["Volume"], output.inputs["Volume"])
smoke.data.materials.append(material)

bpy.context.view_layer.update()
corners = [smoke.matrix_world @ Vector(corner) for corner in smoke.bound_box]
low = Vector(min(c[axis] for c in corners) for axis in range(3))
high = Vector(max(c[axis] for c in corners) for axis in range(3))
middle, size = (low + high) / 2, (high - low).length
print("bounds [m], z up:", [round(v, 3) for v in low], [round(v, 3) for v in high])

camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
camera.location = middle + Vector((0.25, -1.0, 0.15)) * size * 1.4
camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
scene.collection.objects.link(camera)
scene.camera = camera
sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
sun.data.energy = 4
sun.rotation_euler = (math.radians(50), math.radians(15), math.radians(40))
scene.collection.objects.link(sun)
scene.world = bpy.data.worlds.new("sky")
scene.world.use_nodes = True
scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.10, 0.14, 0.2, 1)

scene.render.engine = "CYCLES"
scene.cycles.device = "CPU"
scene.cycles.samples = samples
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y = width, height
scene.render.filepath = picture
bpy.ops.render.render(write_still=True)
