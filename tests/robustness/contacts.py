#!/usr/bin/env python3
"""Exact contact in degenerate scenes: fibres that coincide, cross and pierce each other, segments without length, colliders inside out, open or
too fast, ratios of a million, steps from 1e-5 s to 0.1 s, friction without bounds, bodies within bodies. Every scene ends in time, as it is said
to: it runs (and nothing is thrown about), it tells what was not solved, or it is refused with a remedy. Nothing is ever not finite.

    contacts.py build/ymir [name ...]
"""
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

HEAD = "ymir: 1\ntime: {{frames: [1, {frames}], fps: {fps}, substeps: {substeps}}}\n"
PATIENCE = 60  # seconds for a scene, on a busy machine


class Failure(Exception):
    pass


def lines_file(strands):
    """Curves as an .obj."""
    text, first = [], 1
    for strand in strands:
        text += [f"v {x!r} {y!r} {z!r}" for x, y, z in strand]
        text.append("l " + " ".join(str(first + k) for k in range(len(strand))))
        first += len(strand)
    return "\n".join(text) + "\n"


def straight(a, b, vertices):
    return [tuple(p + (q - p) * k / (vertices - 1) for p, q in zip(a, b)) for k in range(vertices)]


def mesh_file(points, triangles):
    return "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points) + "".join(f"f {a} {b} {c}\n" for a, b, c in triangles)


BOX = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
SIDES = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7), (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4)]


def box_file(centre, size, inside_out=False, without=0):
    points = [tuple(c + s / 2 * p for c, s, p in zip(centre, size, corner)) for corner in BOX]
    return mesh_file(points, [(a, c, b) if inside_out else (a, b, c) for a, b, c in SIDES[without:]])


def fibres(strands, behaviors=(), rod="", curves="", collision="", more_inputs="", files=None, gravity="gravity", **time):
    """Strands that touch each other."""
    setup = [f"collision: {{friction: 0.3{collision}}}", gravity, *behaviors]
    text = "inputs:\n  hair: {curves: hair.obj}\n" + more_inputs + "setup:\n"
    text += "".join(f"  - {line}\n" for line in setup)
    text += f"  - curves_object: {{curves: hair, radius: 0.5 mm, clamp_roots: false{curves}}}\n  - elastic_rod: {{youngs_modulus: 1e8{rod}}}\n"
    return {"text": text, "files": {"hair.obj": lines_file(strands), **(files or {})}, **time}


def solids(inputs, behaviors, files=None, **time):
    text = "inputs:\n" + "".join(f"  {line}\n" for line in inputs) + "setup:\n" + "".join(f"  - {line}\n" for line in behaviors)
    return {"text": text, "files": files or {}, **time}


def bar(y=0.0, z=0.0, x=0.0, vertices=8, length=0.1):
    return straight((x - length / 2, y, z), (x + length / 2, y, z), vertices)


def across(y=0.0, x=0.0, vertices=8):
    return straight((x, y, -0.05), (x, y, 0.05), vertices)


FLOOR = "collider: {shape: plane, response: exact, friction: 0.5}"
LOW_FLOOR = "collider: {shape: plane, center: [0, -2 cm, 0], response: exact, friction: 0.5}"


def floor(y, friction=0.5, more=""):
    return f"collider: {{shape: plane, center: [0, {y}, 0], response: exact, friction: {friction}{more}}}"


def box(name, centre, size=0.1):
    return f"{name}: {{shape: box, center: {list(centre)}, size: [{size}, {size}, {size}]}}"


def rigid(name, more=""):
    return f"rigid_object: {{surface: {name}{more}}}"


def group(name, *members):
    return f"group: {name}\n    with:\n" + "\n".join(f"      - {m}" for m in members)


def jelly(name, youngs="50 kPa", cell="2.5 cm", more=""):
    return group(name.upper(), f"solid_object: {{surface: {name}, cell: {cell}{more}}}", f"elastic_solid: {{youngs_modulus: {youngs}, poisson_ratio: 0.4}}")


def cloth(name):
    return group(name.upper(), f"cloth_object: {{surface: {name}, thickness: 1 mm, area_density: 0.2 kg/m^2}}", "elastic_shell: {youngs_modulus: 0.5 MPa, bending: tri, bending_stiffness: 1e-4 J}")


def sheet(name, y=0.0, edge="4 cm", turn="90 deg, 0, 0"):
    return f"{name}: {{shape: sheet, center: [0, {y}, 0], size: [20 cm, 20 cm, 1 cm], edge: {edge}, turn: [{turn}]}}"


def on_mesh(surface_file, strand, **time):
    collider = "collider: {shape: mesh, surface: body, response: exact, friction: 0.3}"
    return fibres([strand], [collider], more_inputs="  body: {surface: body.obj}\n", files={"body.obj": surface_file}, **time)


def moving(speed, shape, **time):
    """A collider that passes through three strands in a row."""
    motion = f"motion: [{{time: 0}}, {{time: 1 s, position: [0, 0, {speed}]}}]"
    return fibres([straight((0, 0, z), (0, -0.1, z), 10) for z in (0.0, 0.02, 0.04)],
                  [f"collider: {{{shape}, response: exact, friction: 0.3, {motion}}}"], **time)


def scenes():
    cross = [bar(0.002), across(0.0)]
    all_of = {
        # fibres
        "coincident": fibres([bar(), bar()], [LOW_FLOOR]),
        "coincident_three": fibres([bar(), bar(), bar()], [LOW_FLOOR]),
        "coincident_reversed": fibres([bar(), bar()[::-1]], [LOW_FLOOR]),
        "half_coincident": fibres([bar(), bar(x=0.05)], [LOW_FLOOR]),
        "parallel": fibres([bar(0.0011 * k) for k in range(4)], [floor("-1 mm")]),
        "parallel_overlapping": fibres([bar(0.0005 * k) for k in range(4)], [LOW_FLOOR]),
        "crossing_touching": fibres([bar(0.001), across()], [LOW_FLOOR]),
        "crossing_in_one_point": fibres([bar(), across()], [LOW_FLOOR]),
        "crossing_at_vertices": fibres([bar(vertices=9), across(vertices=9)], [LOW_FLOOR]),
        "star": fibres([straight((-0.05 * math.cos(a), 0, -0.05 * math.sin(a)), (0.05 * math.cos(a), 0, 0.05 * math.sin(a)), 9)
                        for a in (0, 0.4, 0.8, 1.2, 1.6, 2.0)], [LOW_FLOOR]),
        "end_to_end": fibres([bar(), bar(x=0.1)], [LOW_FLOOR]),
        "zero_length_segment": fibres([bar()[:3] + bar()[2:]], [LOW_FLOOR]),
        "nearly_zero_segment": fibres([bar()[:3] + [(bar()[2][0] + 1e-9, 0.0, 0.0)] + bar()[3:], across(0.002)], [LOW_FLOOR]),
        "all_in_one_point": fibres([[(0.0, 0.0, 0.0)] * 4], [LOW_FLOOR]),
        "two_vertices": fibres([straight((0, 0.01 * k, 0), (0.05, 0.01 * k, 0), 2) for k in range(3)], [LOW_FLOOR]),
        "single": fibres([bar()], [LOW_FLOOR]),
        "loop_onto_itself": fibres([[(0.02 * math.cos(k / 3), 0.0, 0.02 * math.sin(k / 3)) for k in range(40)]], [LOW_FLOOR]),
        "folded_back": fibres([bar(vertices=12) + bar(vertices=12)[-2::-1]], [LOW_FLOOR]),
        "thickness_zero": fibres(cross, [LOW_FLOOR], collision=", thickness: 0"),
        "thickness_of_edges": fibres(cross, [LOW_FLOOR], collision=", thickness: 5 cm"),
        "thickness_of_metres": fibres(cross, [LOW_FLOOR], collision=", thickness: 2 m"),
        "friction_0": fibres(cross, [floor("-2 cm", 0)]),
        "friction_10": fibres(cross, [floor("-2 cm", 10)]),
        "friction_1e6": fibres(cross, [floor("-2 cm", 1e6)]),
        "adhesion_huge": fibres(cross, [LOW_FLOOR], collision=", adhesion: 1e6 N"),
        "hair_under_1e6": fibres(cross, [LOW_FLOOR, "rigid_object: {surface: b, density: 1e4 kg/m^3}"], more_inputs="  " + box("b", (0, 0.013, 0), 0.02) + "\n"),
        "dt_1e-5": fibres(cross, [LOW_FLOOR], fps=1e4, substeps=10),
        "dt_0.1": fibres(cross, [LOW_FLOOR], fps=10, substeps=1),
        "far_1e5": fibres([[(x + 1e5, y, z) for x, y, z in s] for s in cross], [LOW_FLOOR]),
        "gravity_1e4": fibres(cross, [LOW_FLOOR], gravity="gravity: {acceleration: [0, -1e4, 0]}", substeps=100, frames=2),
        "inextensible": fibres(cross, [LOW_FLOOR], rod=", inextensible: true"),
        "roots_in_one_point": fibres([straight((0, 0, 0), (0, -0.1, 0.0005 * k), 8) for k in range(3)], [floor("-20 cm")]),
        "pushed_into_floor": fibres([bar(-0.025), bar(-0.03)], [LOW_FLOOR]),
        "within_a_ball": fibres([bar(length=0.03)], ["collider: {shape: sphere, radius: 5 cm, response: exact}"]),
        "middle_of_a_ball": fibres([bar(length=0.03)], ["collider: {shape: sphere, radius: 1 mm, response: exact}"]),
        # colliders
        "mesh_inside_out": on_mesh(box_file((0, -0.06, 0), (0.2, 0.1, 0.2), inside_out=True), bar()),
        "mesh_open": on_mesh(box_file((0, -0.06, 0), (0.2, 0.1, 0.2), without=2), bar()),
        "mesh_flat": on_mesh(box_file((0, -0.06, 0), (0.2, 0.0, 0.2)), bar()),
        "mesh_one_triangle": on_mesh(mesh_file([(-1, -0.01, -1), (1, -0.01, -1), (0, -0.01, 1)], [(1, 2, 3)]), bar()),
        "fast_ball": moving(50, "shape: sphere, center: [0, -5 cm, -30 cm], radius: 3 cm"),
        "fast_box": moving(50, "shape: box, center: [0, -5 cm, -30 cm], size: [10 cm, 4 cm, 1 cm]"),
        "fast_plane": moving(50, "shape: plane, normal: [0, 0, 1], center: [0, 0, -30 cm]"),
        # rigid bodies
        "boxes_overlapping": solids([box("a", (0, 0.05, 0)), box("b", (0.01, 0.13, 0)), box("c", (0, 0.21, 0.01))],
                                    ["gravity", "collision: {friction: 0.4}", FLOOR, *[rigid(n) for n in "abc"]]),
        "boxes_coincident": solids([box("a", (0, 0.05, 0)), box("b", (0, 0.05, 0))], ["gravity", "collision", FLOOR, rigid("a"), rigid("b")]),
        "box_within_box": solids([box("a", (0, 0.15, 0), 0.3), box("b", (0, 0.15, 0), 0.05)], ["gravity", "collision", FLOOR, rigid("a"), rigid("b")]),
        "boxes_1e3": solids([box("a", (0, 0.05, 0)), box("b", (0, 0.1501, 0))],
                            ["gravity", "collision", FLOOR, rigid("a", ", density: 10 kg/m^3"), rigid("b", ", density: 1e4 kg/m^3")]),
        "box_on_its_corner": solids(["a: {shape: box, center: [0, 0.0867, 0], size: [0.1, 0.1, 0.1], turn: [45 deg, 0, 35.26 deg]}"], ["gravity", FLOOR, rigid("a")]),
        "boxes_jointed_in_contact": solids([box("a", (0, 0.05, 0)), box("b", (0.1, 0.05, 0))],
                                           ["gravity", "collision", FLOOR,
                                            group("Both", rigid("a"), rigid("b"), "joint: {kind: hinge, axis: [0, 0, 1], places: [{at: [0.05, 0.1, 0], body: 0, other: 1}]}")]),
        "needle": solids(["a: {shape: box, center: [0, 0.01, 0], size: [0.5, 1e-4, 1e-4]}"], ["gravity", FLOOR, rigid("a")]),
        "bodies_at_1e5": solids([box("a", (1e5, 0.05, 0)), box("b", (1e5, 0.15, 0))], ["gravity", "collision", FLOOR, rigid("a"), rigid("b")]),
        "bodies_gravity_1e4": solids([box("a", (0, 0.05, 0)), box("b", (0, 0.15, 0))], ["gravity: {acceleration: [0, -1e4, 0]}", "collision", FLOOR, rigid("a"), rigid("b")]),
        "boxes_at_50": solids([box("a", (0, 0.3, 0)), box("b", (0, 0.6, 0))], ["gravity", "collision", FLOOR, rigid("a"), rigid("b", ", velocity: [0, -50, 0]")]),
        # soft bodies and cloth
        "jellies_overlapping": solids([box("a", (0, 0.05, 0)), box("b", (0, 0.13, 0))], ["gravity", "collision", FLOOR, jelly("a"), jelly("b")]),
        "jellies_coincident": solids([box("a", (0, 0.05, 0)), box("b", (0, 0.05, 0))], ["gravity", "collision", FLOOR, jelly("a"), jelly("b")]),
        "box_within_jelly": solids([box("a", (0, 0.1, 0), 0.2), box("b", (0, 0.1, 0), 0.05)], ["gravity", "collision", FLOOR, jelly("a", cell="5 cm"), rigid("b")]),
        "jelly_on_its_corner": solids(["a: {shape: box, center: [0, 0.1, 0], size: [0.1, 0.1, 0.1], turn: [30 deg, 20 deg, 0]}"],
                                      ["gravity", FLOOR, jelly("a", "5 kPa", "2 cm", ", velocity: [0, -3, 0]")]),
        "jelly_under_1e6": solids([box("a", (0, 0.05, 0)), box("b", (0, 0.1505, 0))], ["gravity", "collision", FLOOR, jelly("a"), rigid("b", ", density: 1e6 kg/m^3")]),
        "cloth_on_cloth_coincident": solids([sheet("a", 0.01), sheet("b", 0.01)], ["gravity", "collision", FLOOR, cloth("a"), cloth("b")]),
        "cloth_through_cloth": solids([sheet("a", 0.1), sheet("b", 0.1, turn="0, 0, 0")], ["gravity", "collision", FLOOR, cloth("a"), cloth("b")]),
        "cloth_in_box": solids([sheet("a", 0.05), box("b", (0, 0.05, 0))], ["gravity", "collision", FLOOR, cloth("a"), rigid("b")]),
        "cloth_one_triangle": solids(["a: {surface: a.obj}"], ["gravity", "collision", FLOOR, cloth("a")],
                                     files={"a.obj": mesh_file([(-0.1, 0.02, -0.1), (0.1, 0.02, -0.1), (0, 0.02, 0.1)], [(1, 3, 2)])}),
        # attached and reduced
        "hair_on_jelly": solids([box("a", (0, 0.05, 0)), "hair: {curves: hair.obj}"],
                                ["gravity", "collision", FLOOR, jelly("a", cell="5 cm"),
                                 group("Hair", "curves_object: {curves: hair, radius: 0.5 mm}", "elastic_rod: {youngs_modulus: 1e8}", "attachment: {solids: A, range: 2 cm}")],
                                files={"hair.obj": lines_file([straight((0.02 * k, 0.1, 0), (0.02 * k, 0.16, 0), 5) for k in (-1, 0, 1)])}),
        "helices_coincident": solids(["hair: {curves: hair.obj}"],
                                     ["gravity", "collision", LOW_FLOOR, "super_helix_object: {curves: hair, radius: 0.5 mm, elements: 3, vertices: 12, clamp_roots: false}"],
                                     files={"hair.obj": lines_file([bar(), bar(), across()])}),
        "helices_and_rods": solids(["hair: {curves: hair.obj}"],
                                   ["gravity", "collision", LOW_FLOOR, "super_helix_object: {curves: hair, radius: 0.5 mm, elements: 3, vertices: 12, clamp_roots: false}",
                                    group("Rods", "curves_object: {curves: hair, radius: 0.5 mm, clamp_roots: false}", "elastic_rod: {youngs_modulus: 1e8}")],
                                   files={"hair.obj": lines_file([bar(), across()])}),
    }
    return all_of


def run(ymir, folder, name, scene):
    place = os.path.join(folder, name)
    os.makedirs(place)
    for file, text in scene["files"].items():
        with open(os.path.join(place, file), "w") as out:
            out.write(text)
    setup, cache = os.path.join(place, "scene.yaml"), os.path.join(place, "out")
    with open(setup, "w") as out:
        out.write(HEAD.format(frames=scene.get("frames", 6), fps=scene.get("fps", 24), substeps=scene.get("substeps", 4)) + scene["text"])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([ymir, "run", setup, "--out", cache, "--threads", "1", "--no-preview", "--log", "warn"],
                              capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return "hangs", "", 60, cache
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = (done.stderr + done.stdout).strip()
    outcome = {0: "ran" if not said else "warned", 3: "refused", 5: "stopped"}.get(done.returncode, f"exit {done.returncode}")
    return outcome, said, after.ru_utime - before.ru_utime, cache


def extent(ymir, cache, frame):
    answer = subprocess.run([ymir, "info", os.path.join(cache, f"frame_{frame:06d}.h5"), "--json"], capture_output=True, text=True)
    if answer.returncode != 0:
        raise Failure(f"frame {frame} cannot be read: {answer.stderr}")
    low, high = [math.inf] * 3, [-math.inf] * 3
    for thing in json.loads(answer.stdout)["objects"]:
        for channel in thing["channels"].values():
            if not channel.get("finite", True):
                raise Failure(f"{thing['name']} is not finite in frame {frame}")
        at = thing["channels"].get("position")
        if at is not None and at.get("low") is not None:
            low, high = [min(a, b) for a, b in zip(low, at["low"])], [max(a, b) for a, b in zip(high, at["high"])]
    return low, high


# What is said, where it is not nothing: outcome, words.
TOLD = {
    "zero_length_segment": ("warned", "1 strands have coincident vertices; these were spread evenly"),
    "nearly_zero_segment": ("warned", "1 strands have coincident vertices; these were spread evenly"),
    "all_in_one_point": ("warned", "1 strands have no length; they stay where their root is"),
    "far_1e5": ("warned", "move everything to the origin"),
    "bodies_at_1e5": ("warned", "move everything to the origin"),
    "pushed_into_floor": ("warned", "begin inside it, the deepest 10 mm; what is planted near held roots stays, the rest is let out"),
    "within_a_ball": ("warned", "the rest is let out at 2 cm/s"),
    "mesh_inside_out": ("warned", "the faces of the surface 'body' point inward"),
    "mesh_open": ("warned", "the surface 'body' is not closed, 4 edges"),
    "mesh_flat": ("refused", "the mesh encloses no volume"),
    "mesh_one_triangle": ("refused", "the mesh is not closed"),
    "jelly_on_its_corner": ("warned", "cells are crushed"),
    "fast_ball": ("warned", "accepted above"),
    "fast_box": ("warned", "trying again"),
    "star": ("warned", "accepted above"),
    "adhesion_huge": ("warned", "trying again"),
    "cloth_in_box": ("warned", "accepted above"),
    "cloth_on_cloth_coincident": ("warned", "accepted above"),
}
# Where things may be in the end, beyond 1 m from the origin: half of a box [m].
FAR = {"far_1e5": 1.1e5, "bodies_at_1e5": 1.1e5, "fast_ball": 20.0, "fast_box": 20.0, "fast_plane": 20.0}


def main():
    ymir = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:]
    spent, counts, failures = 0.0, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in scenes().items():
            if wanted and name not in wanted:
                continue
            outcome, said, seconds, cache = run(ymir, folder, name, scene)
            spent += seconds
            counts[outcome] = counts.get(outcome, 0) + 1
            expected, words = TOLD.get(name, ("ran", ""))
            try:
                if outcome != expected or words not in said:
                    raise Failure(f"{outcome} instead of {expected}, says: {said[:1500]}")
                if outcome in ("ran", "warned"):
                    low, high = extent(ymir, cache, scene.get("frames", 6))
                    if not max(map(abs, low + high)) < FAR.get(name, 1.0):
                        raise Failure(f"thrown about, from {low} to {high}")
            except Failure as failure:
                failures.append(f"failed: {name}: {failure}")
            print(f"{name:28s} {outcome:8s} {seconds:5.2f} s", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) + f"; {spent:.0f} s")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
