#!/usr/bin/env python3
"""What a command line, a closed pipe or a file may get wrong at the edges: each has its exit code, and nothing is lost.

    command_line.py build/ymir tests/robustness/small.yaml
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import program as p

POINTS = """ply
format ascii 1.0
element vertex 1
property float x
property float y
property float z
property float {name}
end_header
0 1 0 {value}
"""


class Cases:
    def __init__(self, binary, setup, folder):
        self.binary, self.setup, self.folder = os.path.abspath(binary), os.path.abspath(setup), folder
        self.cache = os.path.join(folder, "cache")
        self.count = 0
        self.expect(0, "run", self.setup, "--no-preview", "--out", self.cache)
        self.files = sorted(os.listdir(self.cache))

    def expect(self, status, *arguments, stdout=subprocess.PIPE, says="", never=None):
        self.count += 1
        done = subprocess.run([self.binary, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=120, cwd=self.folder)
        if done.returncode != status:
            raise p.Failure(f"{' '.join(arguments)} ended with {done.returncode}, not {status}: {done.stderr[-500:]}")
        said = (done.stdout or "") + done.stderr
        if says not in said:
            raise p.Failure(f"{' '.join(arguments)} does not say '{says}': {said[-500:]}")
        if never is not None and never in said:
            raise p.Failure(f"{' '.join(arguments)} says '{never}': {said[-500:]}")

    def unchanged(self):
        if sorted(os.listdir(self.cache)) != self.files:
            raise p.Failure(f"a refused command changed the cache: {sorted(os.listdir(self.cache))}")

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def still_holds(self, name, content):
        if self.read(name) != content:
            raise p.Failure(f"{name} was written over")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        return name


def options(cases):
    run = ("run", cases.setup, "--no-preview", "--out", cases.cache)
    cases.expect(2, *run, "--resume", "--force-restart")
    cases.expect(2, *run, "--frames", "")
    cases.expect(2, *run, "--resume", "--from", "")
    cases.expect(2, "slice", cases.cache, "x.png", "--frame", "")
    cases.expect(2, "run", cases.setup, "--out", "")
    cases.unchanged()
    for option in ("--fov", "--turn", "--strand-width"):
        cases.expect(2, "preview", cases.cache, "--out", "pictures", "--width", "32", "--height", "32", option, "nan")


def pipes(cases):
    with open("/dev/full", "w", encoding="utf-8") as full:
        for arguments in (("info", cases.cache, "--json"), ("describe", "--json"), ("schema",)):
            cases.expect(4, *arguments, stdout=full)
    # Who reads has seen enough.
    with subprocess.Popen([cases.binary, "info", cases.cache, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as shown:
        shown.stdout.close()
        said = shown.stderr.read()
        if shown.wait(120) != 0 or said:
            raise p.Failure(f"info whose reader goes away ended with {shown.returncode}: {said}")
    cases.count += 1
    # The reader of the log goes away at once; the frames come all the same.
    out = os.path.join(cases.folder, "unread")
    run = subprocess.Popen([cases.binary, "run", cases.setup, "--no-preview", "--out", out], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    run.stdout.close()
    if run.wait(120) != 0 or len(p.manifest(out)["frames"]) != len(p.manifest(cases.cache)["frames"]):
        raise p.Failure(f"a run whose log nobody reads ended with {run.returncode}")
    cases.count += 1


def values(cases):
    for name, value in (("density", -7), ("density", 0), ("radius", -1), ("radius", 0)):
        cases.write("p.ply", POINTS.format(name=name, value=value))
        setup = cases.write("points.yaml", "ymir: 1\ntime: {frames: [1, 2]}\ninputs: {p: {points: p.ply}}\n"
                                           "setup: [gravity, particle_object: {points: p}]\n")
        for command in ("check", "run"):
            cases.expect(3, command, setup, "--out", "bad", says=f"the {name} is")
    for name in ("velocity", "bucket", "next_density", "a/b", " ", "@x"):
        setup = cases.write("gas.yaml", "ymir: 1\ntime: {frames: [1, 1]}\nsetup:\n  - volume_object: {voxel: 0.1}\n"
                                        f"  - emitter: {{materials: [{{name: '{name}', value: 1}}]}}\n")
        for command in ("check", "run"):
            cases.expect(3, command, setup, "--out", "bad", says="name")


def refused(cases, setup, says):
    """By check and by run, with its line."""
    name = cases.write("wrong.yaml", setup)
    for command in ("check", "run"):
        cases.expect(3, command, name, "--out", "wrong", says=says)


def setup_with(behaviors, inputs="{}", time="{frames: [1, 1]}", outputs="{}"):
    lines = "".join(f"  - {line}\n" for line in behaviors)
    return f"ymir: 1\ntime: {time}\ninputs: {inputs}\nsetup:\n{lines}outputs: {outputs}\n"


POINT = "particle_object: {emit: {from: sphere}}"
STRANDS = "curves_object: {curves: c}"
LINE = "{c: {line: {}}, box: {shape: box}}"


def large_numbers(cases):
    """Finite, but not in the 32 bits of a frame."""
    for wrong in ("particle_object: {emit: {from: sphere, center: [1e300, 0, 0]}}", "collider: {center: [0, 1e10, 0]}",
                  "particle_object: {radius: 1e60, emit: {}}", "collider: {shape: sphere, radius: 2e9}"):
        refused(cases, setup_with([POINT, wrong]), says="lengths and places are at most 1e+09 m")
    refused(cases, setup_with(["particle_object: {emit: {velocity: [0, 1e39, 0]}}"]), says="frames hold numbers up to")
    refused(cases, setup_with([POINT, "collider: {motion: [{time: 0 s, position: [1e12, 0, 0]}]}"]), says="at most 1e+09")
    for x, says in (("1e300", "far.obj:2"), ("1e20", "farther than 1e+09 m")):
        cases.write("far.obj", f"v 0 0 0\nv {x} 0 0\nv 0 1 0\nf 1 2 3\n")
        refused(cases, setup_with([POINT, "collider: {shape: mesh, surface: m}"], "{m: {surface: far.obj}}"), says=says)
    cases.write("far.ply", POINTS.replace("float", "double").format(name="mass_fraction", value="1e200"))
    refused(cases, setup_with(["particle_object: {points: p}"], "{p: {points: far.ply}}"), says="larger than 32 bits")
    cases.write("far.ply", POINTS.format(name="heat", value=1).replace("0 1 0", "0 100 0"))
    refused(cases, setup_with(["particle_object: {points: p}"], "{p: {points: far.ply, scale: 1e8}}"),
            says="check its unit (`scale:`)")


def ignored_values(cases):
    """A parameter of another shape, kind or mode."""
    gas = "volume_object: {voxel: 0.1, domain: {low: [0, 0, 0], high: [1, 1, 1]}}"
    for first, wrong, name in (
            (POINT, "collider: {shape: sphere, surface: box}", "surface"),
            (POINT, "collider: {shape: sphere, normal: [0, 1, 0]}", "normal"),
            (POINT, "collider: {pivot: [0, 0, 0]}", "pivot"),
            (POINT, "collider: {interpolation: smooth}", "interpolation"),
            (POINT, "collider: {shape: mesh, surface: box, center: [0, 1, 0]}", "center"),
            (POINT, "collider: {shape: mesh, surface: box, sampling: exact, voxel: 0.1}", "voxel"),
            (POINT, "drag: {wind: {kind: uniform, swirl: 3}}", "swirl"),
            (POINT, "drag: {law: linear, fluid_density: 1}", "fluid_density"),
            (POINT, "kill: {age_variation: 0.5}", "age_variation"),
            (STRANDS, "attachment: {surface: box, normal_stiffness: 3}", "normal_stiffness"),
            (STRANDS, "attachment: {surface: box, network: [{source_strand: 0}]}", "network"),
            (STRANDS, "elastic_rod: {shear_modulus: 1 GPa, poisson_ratio: 0.3}", "poisson_ratio"),
            (gas, "emitter: {from: box, radius: 0.1}", "radius"),
            (gas, "emitter: {from: points, points: /, velocity: [0, 1, 0]}", "velocity"),
            ("particle_object: {emit: {from: sphere, size: [1, 1, 1]}}", "gravity", "size")):
        refused(cases, setup_with([first, wrong], LINE), says=f"{name}: has no effect")
    refused(cases, setup_with([POINT], "{h: {shape: head, size: [1, 1, 1]}}"), says="size: has no effect with shape: head")
    refused(cases, setup_with([POINT], "{h: {line: {}, scale: 2}}"), says="scale: has no effect")
    refused(cases, setup_with([POINT], time="{frames: [1, 1], max_substeps: 9}"), says="max_substeps: has no effect")
    # What acts on objects that may be switched off for a while is told, not refused.
    only = cases.write("only.yaml", setup_with([STRANDS, "elastic_rod", "collider: {restitution: 0.5}"], LINE))
    cases.expect(0, "check", only, says="collider.restitution: warning: has no effect")
    cases.expect(0, "describe", "collider", says="Only for shape: sphere.")


def found_by_check(cases):
    """What only a run found, or nobody."""
    refused(cases, setup_with(["volume_object: {voxel: 1 cm, domain: {low: [0, 0, 0], high: [0.4, 0.4, 0.4]}}",
                               "particle_object: {radius: 20 cm, emit: {}}", "coupled_buoyancy"]),
            says="wrong.yaml:7:5 coupled_buoyancy: a point of radius 0.2 m")
    refused(cases, setup_with([POINT], outputs="{preview: {eye: [0, 1, 0], target: [0, 1, 0]}}"),
            says="outputs.preview.eye: is the same place as the target")
    for name, value in (("friction", -1), ("restitution", 7)):
        cases.write("p.ply", POINTS.format(name=name, value=value))
        refused(cases, setup_with(["particle_object: {points: p}", "collider"], "{p: {points: p.ply}}"),
                says=f"p.ply: point 0: {name} must be")
    refused(cases, setup_with(["volume_object: {voxel: 0.1, domain: {low: [0, 0, 0], high: [1, 1, 1]}}",
                               "emitter: {materials: [{name: density, value: -5}]}"]), says="density must be at least 0")
    far = "{c: {line: {from: [0, 0.5, 0], to: [0, 0.4, 0]}}, box: {shape: box, center: [100, 0, 0]}}"
    away = cases.write("away.yaml", setup_with([STRANDS, "elastic_rod", "attachment: {surface: box}"], far))
    cases.expect(0, "check", away, says="1 of 1 roots are more than 1 cm from 'box' at time 0 (strand 0: 100 m)")
    twice = cases.write("twice.yaml", setup_with([POINT, "gravity", "gravity"]))
    cases.expect(0, "check", twice, says="the same group has gravity already, and both count")
    twice = cases.write("twice.yaml", setup_with([POINT, "group: A", "group: A"]))
    cases.expect(0, "check", twice, says="another group 'A' stands beside it")


def advice(cases):
    """Remedies that can be followed."""
    with open(cases.setup, encoding="utf-8") as file:
        changed = cases.write("changed.yaml", file.read().replace("setup:", "setup:\n  - gravity", 1))
    cases.expect(3, "run", changed, "--no-preview", "--out", cases.cache, says="--resume --from N to go on")
    cases.unchanged()
    file = cases.write("file", "")
    cases.expect(4, "describe", "--pages", file, says="choose another with --pages")
    cases.expect(4, "preview", cases.cache, "--out", file + "/below", "--width", "32", "--height", "32",
                 says="choose another with --out")
    for section, says in (("time", "substeps"), ("inputs", "groom"), ("outputs", "checkpoint_every")):
        cases.expect(0, "describe", section, says=says)


STORM = """ymir: 1
time: {{frames: [1, 2], fps: 24}}
inputs: {{h: {{line: {{to: [0, -0.1, 0], vertices: 33}}}}}}
setup:
  - curves_object: {{curves: h, radius: 50 um}}
  - elastic_rod
  - drag: {{wind: {{value: [{speed}, 0, 0]}}}}
"""


def storms(cases):
    calm = cases.write("storm.yaml", STORM.format(speed=300))
    cases.expect(0, "run", calm, "--out", "storm", "--strict")
    wild = cases.write("wild.yaml", STORM.format(speed=5e4))
    cases.expect(0, "check", wild, says="faster than any object may move")
    cases.expect(0, "run", wild, "--out", "wild", says="faster than any object may move")
    # The strand stays where it is, which is said, with its number.
    cases.expect(0, "run", wild, "--out", "wild", "--force-restart", says="(strand 0, residual ")
    cases.expect(5, "run", wild, "--out", "wild", "--force-restart", "--strict", says="(strand 0, residual ")


GAS = "volume_object: {voxel: 0.1, domain: {low: [0, 0, 0], high: [1, 1, 1]}}"


def values_without_sense(cases):
    """Each alone in its range, and yet nothing good comes of it."""
    for behaviors, says in (
            (["collider: {shape: plane, normal: [0, 0, 0]}"], "must be a direction"),
            (["drag: {wind: {kind: vortex, axis: [0, 0, 0]}}"], "must be a direction"),
            (["kill: {bounds: {low: [1, 1, 1], high: [0, 2, 2]}}"], "`low:` must be below `high:`"),
            (["particle_object: {emit: {start: 2, stop: 1}}"], "must be after `start:`"),
            ([GAS, "emitter: {density: 1, start: 2, stop: 1}"], "must not be before `start:`"),
            ([GAS, "emitter: {density: 1, materials: [{name: density, value: 3}]}"], "given twice"),
            ([GAS, "emitter: {materials: [{name: fuel, value: 1}, {name: fuel, value: 2}]}"], "given twice"),
            ([GAS, "dissipation: {channel: velocity, rate: 1 Hz}"], "has a channel 'velocity' of its own"),
            ([GAS, "diffusion: {channel: velocity}"], "has a channel 'velocity' of its own")):
        refused(cases, setup_with([POINT] + behaviors), says=says)
    for behaviors, says in ((["gravity"], "holds nothing to simulate"), ([POINT, "kill"], "removes nothing"),
                            ([POINT, "force_field"], "does nothing"),
                            ([GAS, "emitter: {from: box}"], "puts nothing in")):
        idle = cases.write("idle.yaml", setup_with(behaviors))
        cases.expect(0, "check", idle, says=says)
    far = setup_with([POINT, "collider: {shape: mesh, surface: b}"], "{b: {shape: box, center: [1e6, 0, 0]}}")
    cases.expect(0, "run", cases.write("far.yaml", far), "--out", "far")
    cases.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nf 3 2 1\n")
    refused(cases, setup_with([POINT, "collider: {shape: mesh, surface: m, sampling: exact}"],
                              "{m: {surface: flat.obj}}"), says="encloses no volume")


def points_in_colliders(cases):
    """Told before they are moved: in solids, outside hollow ones, in turned and in deforming ones."""
    cases.write("in.ply", POINTS.format(name="heat", value=1))
    inputs = "{p: {points: in.ply}, c: {line: {from: [0, 1, 0], to: [0.1, 1, 0]}}, b: {shape: box, center: [0, 1, 0]}}"
    for collider, count in (("shape: sphere, center: [0, 1.4, 0]", 1), ("shape: sphere, center: [0, 1.6, 0]", 0),
                            ("shape: sphere, hollow: true", 1), ("shape: sphere, radius: 2, hollow: true", 0),
                            ("shape: plane, center: [0, 2, 0]", 1), ("shape: plane", 0),
                            ("shape: box, motion: [{time: 0, position: [0, 1, 0]}]", 1), ("shape: mesh, surface: b", 1),
                            ("shape: mesh, surface: b, sampling: exact", 1)):
        points = setup_with(["particle_object: {points: p, radius: 1 mm}", f"collider: {{{collider}}}"], inputs)
        name = cases.write("inside.yaml", points)
        for command in (("check", name), ("run", name, "--out", "inside", "--force-restart")):
            cases.expect(0, *command, says="1 of 1 points of particle_object begin inside it" if count else "",
                         never=None if count else "begin inside")
    strands = setup_with([STRANDS, "elastic_rod", "collider: {shape: sphere, center: [0, 1, 0]}"], inputs)
    cases.expect(0, "check", cases.write("inside.yaml", strands), says="begin inside it, the deepest")


def soft_bodies(cases):
    """What no lattice can be made of, and what does not act on them."""
    body = "solid_object: {{surface: b{more}}}"
    for shape, more, says in (("{shape: box}", ", cell: 10", "thinner than cells"),
                              ("{shape: box}", ", cell: 10 um", "make `cell:` larger"),
                              ("{surface: open.obj}", "", "not closed"), ("{surface: flat.obj}", "", "encloses no volume")):
        cases.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n")
        cases.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nf 3 2 1\n")
        refused(cases, setup_with([body.format(more=more), "elastic_solid"], f"{{b: {shape}}}"), says=says)
    inputs = "{b: {shape: box}, plate: {shape: box, center: [0, -10, 0]}}"
    wrong = "attachment: {surface: plate}"
    refused(cases, setup_with([body.format(more=""), "elastic_solid", wrong], inputs), says="needs `range:`")
    for idle, says in (("attachment: {surface: plate, range: 1 cm}", "holds nothing of"),
                       ("attachment: {surface: plate, range: 1, hard: false}", "holds nothing of"), ("drag: {law: linear}", "does not act on")):
        name = cases.write("idle.yaml", setup_with([body.format(more=""), "elastic_solid", idle], inputs))
        cases.expect(0, "check", name, says=says)
    held = setup_with([body.format(more=", cell: 3 cm"), "elastic_solid: {youngs_modulus: 1 kPa}", "gravity",
                       "attachment: {surface: b, range: 1 cm}"], "{b: {shape: box}}", time="{frames: [1, 2]}")
    cases.expect(0, "run", cases.write("held_body.yaml", held), "--out", "held_body", "--strict")


def rigid_bodies(cases):
    """Joints that fit nothing, bodies that enclose nothing; and those that run."""
    inputs = "{b: {shape: box}, open: {surface: open_box.obj}}"
    cases.write("open_box.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nf 3 2 1\n")
    body = "rigid_object: {surface: b, copies: 2, copy_offset: [20 cm, 0, 0]}"
    for wrong, says in (("rigid_object: {surface: open}", "encloses no volume"),
                        ("joint: {kind: ball, between: nearest}", "need `places:`"),
                        ("joint: {kind: ball, places: [{at: [0, 0, 0], body: 7}]}", "there is no body 7"),
                        ("joint: {kind: ball, places: [{at: [0, 0, 0], body: 1, other: 1}]}", "joined to itself"),
                        ("joint: {kind: hinge, between: neighbours, axis: [0, 0, 0]}", "has no direction"),
                        ("joint: {kind: hinge, between: neighbours, low_angle: 1}", "begins at 0"),
                        ("joint: {kind: hinge, between: neighbours, motor_torque: 1 N*m}", "needs a speed or a target"),
                        ("joint: {kind: ball, between: neighbours, motor_spin: 1}", "motor_spin"),
                        ("joint: {kind: hinge, between: neighbours, motor_angle: 2, high_angle: 1}", "beyond the limits"),
                        ("rigid_object: {surface: b, copy_offset: [1, 0, 0]}", "no effect on a single copy"),
                        ("attachment: {solids: Nowhere, range: 1}", "Nowhere")):
        refused(cases, setup_with([body, wrong], inputs), says=says)
    chain = setup_with([body, "gravity", "joint: {kind: hinge, between: neighbours, motor_spin: 3, axis: [0, 0, 1]}",
                        "collider: {shape: plane, center: [0, -0.2, 0]}"], "{b: {shape: box}}", time="{frames: [1, 3]}")
    cases.expect(0, "run", cases.write("hinges.yaml", chain), "--out", "hinges", "--strict")


def solids_without_effect(cases):
    """What would do nothing, or not what it seems, is said when the setup is checked."""
    refused(cases, setup_with(["cloth_object: {surface: s}", "elastic_shell", "muscle"], "{s: {shape: sheet, edge: 0.2}}"),
            says="is cloth")
    roots = setup_with([STRANDS, "elastic_rod", "attachment: {surface: b, hard: false, normal_stiffness: 1 N/m}"],
                       "{c: {line: {from: [0, 0, 0], to: [0, 0.1, 0], vertices: 4}}, b: {shape: box}}")
    cases.expect(0, "check", cases.write("roots.yaml", roots), says="its roots are clamped")


def told(cases, setup, says):
    """By check, which lets it pass."""
    cases.expect(0, "check", cases.write("told.yaml", setup), "--out", "told", says=says)


def solids_at_odds(cases):
    """What holds the same thing twice, and machines that cannot move as they should: those who disagree are named."""
    inputs = ("{b: {shape: box, size: [0.2, 0.2, 0.2]}, up: {shape: box, size: [1, 0.1, 1], center: [0, 0.15, 0]}, "
              "left: {shape: box, size: [0.1, 1, 1], center: [-0.15, 0, 0]}}")
    soft = ["solid_object: {surface: b, cell: 5 cm}", "elastic_solid", "attachment: {surface: up, range: 2 cm}"]
    for again in ("up", "left"):
        refused(cases, setup_with(soft + [f"attachment: {{surface: {again}, range: 2 cm}}"], inputs),
                says="that attachment holds already, such as node")
    boxes = "{b: {shape: box, size: [0.1, 0.1, 0.1]}, up: {shape: box, size: [1, 0.1, 1], center: [0, 0.1, 0], motion: " \
            "[{time: 0}, {time: 0.3, position: [0.2, 0, 0]}]}, f: {shape: box, size: [0.1, 0.1, 0.1], motion: " \
            "[{time: 0}, {time: 0.3, position: [0, 0.2, 0]}]}}"
    two = "rigid_object: {surface: b, copies: 2, copy_offset: [20 cm, 0, 0]}"
    held = "attachment: {surface: up, range: 2 cm}"
    for behaviors, says in (
            ([two, "joint: {kind: hinge, between: neighbours, axis: [0, 0, 1], motor_spin: 3}",
              "joint: {kind: hinge, places: [{at: [0.1, 0.05, 0.05]}], axis: [0, 1, 0], motor_spin: 2}"],
             "joint, joint#2 cannot all hold at once"),
            (["rigid_object: {surface: b}", "joint: {kind: weld, between: world, places: [{at: [0, 0, 0]}]}", held],
             "joint, attachment cannot all hold at once"),
            (["rigid_object: {surface: b}", "follow: {surface: f, weight: 1}", held],
             "attachment cannot hold what it should")):
        name = cases.write("odds.yaml", setup_with(behaviors, boxes))
        # The error itself names them, not only the warning before it.
        cases.expect(5, "run", name, "--out", "odds", "--force-restart", "--log", "error", says=says)


def springs_beyond_round_off(cases):
    """Attachments stiffer than anything: told, and the run ends."""
    inputs = ("{b: {shape: box, size: [0.2, 0.2, 0.2]}, w: {shape: box, size: [0.01, 0.2, 0.2], center: [-0.105, 0, 0]}, "
              "g: {groom: {style: straight, strands: 20, vertices: 8, length: 5 cm}}}")
    stiff = "normal_stiffness: {0} N/m, tangent_stiffness: {0} N/m"
    groups = ("{{group: Body, with: [solid_object: {{surface: b, cell: 4 cm}}, elastic_solid: {{youngs_modulus: 1e5 Pa}}, "
              "attachment: {{surface: w, range: 1 cm}}]}}",
              "{{group: Hair, with: [curves_object: {{curves: g, clamp_roots: false}}, elastic_rod, "
              "attachment: {{solids: Body, range: 1 m, hard: false, " + stiff + "}}]}}")
    for stiffness, words in (("1e9", {"never": "beyond what can be computed"}), ("1e18", {"says": "1e+12 N/m is taken"})):
        setup = setup_with(["gravity"] + [g.format(stiffness) for g in groups], inputs, time="{frames: [1, 2], substeps: 2}")
        name = cases.write("springs.yaml", setup)
        cases.expect(0, "check", name, **words)
        cases.expect(0, "run", name, "--out", "springs", "--force-restart", "--no-preview")


def joints_that_are_gone(cases):
    """A checkpoint remembers the angles of joints: with others it is refused, and told why."""
    boxes = "{b: {shape: box, size: [0.1, 0.1, 0.1]}}"
    behaviors = ["gravity", "rigid_object: {surface: b, copies: 3, copy_offset: [20 cm, 0, 0]}",
                 "joint: {kind: hinge, places: [{at: [0.1, 0, 0], body: 0, other: 1}], axis: [0, 0, 1]}",
                 "joint: {kind: hinge, places: [{at: [0.3, 0, 0], body: 1, other: 2}], axis: [0, 0, 1]}"]
    cases.expect(0, "run", cases.write("gone.yaml", setup_with(behaviors, boxes)), "--out", "gone")
    cases.write("gone.yaml", setup_with(behaviors[:-1], boxes))
    cases.expect(3, "run", "gone.yaml", "--out", "gone", "--resume", "--from", "1",
                 says="joints or attachments were added or removed since, it remembers 2 values of them and the setup has 1")


def folders_that_take_nothing(cases):
    """Even where permissions say otherwise; and trying it leaves nothing behind."""
    setup = cases.write("taken.yaml", setup_with([POINT]))
    cases.expect(3, "check", setup, "--out", "/proc/ymir", says="nothing can be written in /proc: ")
    before = sorted(os.listdir(cases.folder))
    cases.expect(0, "check", setup, "--out", "to_be_made")
    if sorted(os.listdir(cases.folder)) != before:
        raise p.Failure(f"check left something behind: {sorted(set(os.listdir(cases.folder)) - set(before))}")


def animations_that_turn_too_far(cases):
    """Half a turn in a substep cannot be told from half a turn back."""
    keys = ", ".join(f"{{time: {k / 96!r}, rotation: [0, {120 * k} deg, 0]}}" for k in range(9))
    inputs = f"{{b: {{shape: box}}, f: {{shape: box, motion: [{keys}]}}}}"
    for substeps, words in ((1, {"says": "turns by 8.38 rad in a substep"}), (2, {"says": "at least 3 substeps"}),
                            (3, {"never": "rad in a substep"})):
        setup = setup_with(["rigid_object: {surface: b}", "follow: {surface: f, weight: 1}"], inputs,
                           time=f"{{frames: [1, 2], substeps: {substeps}}}")
        cases.expect(0, "check", cases.write("turns.yaml", setup), **words)


def seams_that_are_held(cases):
    """Two edges that are held apart are not drawn together."""
    cases.write("strip.obj", "".join(f"v {x / 4} 0 {z / 4}\n" for z in range(2) for x in range(5)) +
                "".join(f"f {k} {k + 1} {k + 6}\nf {k} {k + 6} {k + 5}\n" for k in range(1, 5)))
    inputs = ("{c: {surface: strip.obj}, left: {shape: box, size: [0.1, 1, 2]}, "
              "right: {shape: box, size: [0.1, 1, 2], center: [1, 0, 0]}}")
    cloth = ["cloth_object: {surface: c}", "elastic_shell", "sewing: {pairs: [{first: 0, second: 4}, {first: 6, second: 8}]}"]
    held = [f"attachment: {{surface: {side}, range: 10 cm}}" for side in ("left", "right")]
    cases.expect(0, "check", cases.write("seams.yaml", setup_with(cloth + held, inputs)),
                 says="1 of 2 pairs of cloth_object cannot close: both vertices are held by attachment, up to 1 m apart")
    cases.expect(0, "check", cases.write("seams.yaml", setup_with(cloth + held[:1], inputs)), never="cannot close")


def points_in_a_line(cases):
    """Distances that are kept twice do no harm; three in a line are told."""
    cases.write("line.ply", POINTS.replace("vertex 1", "vertex 3").format(name="heat", value=1) + "0.1 1 0 1\n0.2 1 0 1\n")
    inputs = "{p: {points: line.ply}, b: {shape: box, center: [0, 1.2, 0]}}"
    scene = ("{{group: A, with: [particle_object: {{points: p, radius: 1 cm}}, attachment: {{particles: A, emission: network, "
             "flexibility: 1, network: [{}]}}, attachment: {{surface: b, emission: network, flexibility: 1, network: "
             "[{{source_strand: 0, target: 3}}]}}]}}")
    first, second, third = (f"{{source_strand: {a}, target: {b}}}" for a, b in ((0, 1), (1, 2), (0, 2)))
    twice = setup_with(["gravity", scene.format(f"{first}, {first}, {second}")], inputs, time="{frames: [1, 6]}")
    cases.expect(0, "run", cases.write("twice.yaml", twice), "--out", "twice", "--strict", never="lie in a line")
    told(cases, setup_with(["gravity", scene.format(f"{first}, {second}, {third}")], inputs), says="pieces 0, 1 and 2 lie in a line")


def bodies_by_network(cases):
    """Listed nodes of bodies need no range, and what is not there is called what it is."""
    inputs = "{b: {shape: box, size: [0.2, 0.2, 0.2]}, up: {shape: box, size: [1, 0.1, 1], center: [0, 0.15, 0]}}"
    soft = ["solid_object: {surface: b, cell: 5 cm}", "elastic_solid"]
    link = "attachment: {{surface: up, emission: network, network: [{{source_strand: {}, source_vertex: {}, target: {}}}]}}"
    cases.expect(0, "run", cases.write("net.yaml", setup_with(soft + ["gravity", link.format(0, 124, 0)], inputs)), "--out",
                 "net", "--strict")
    for numbers, says in (((3, 0, 0), "there is no source body 3; there are 1, numbered from 0"),
                          ((0, 999, 0), "body 0 has no vertex 999 to attach; it has 125"),
                          ((0, 0, 99), "the surface has no triangle 99; it has 12")):
        refused(cases, setup_with(soft + [link.format(*numbers)], inputs), says=says)
    twins = ("{group: S, with: [solid_object: {surface: b}, solid_object: {surface: b, cell: 5 cm}, elastic_solid, attachment: "
             "{solids: T, emission: network, network: [{source_strand: 0}]}]}")
    refused(cases, setup_with(["{group: T, with: [solid_object: {surface: up}, elastic_solid]}", twins], inputs),
            says="several objects have a source body 0")


def surfaces_with_an_inside(cases):
    """Soft and rigid bodies ask the same of a surface."""
    box = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    good, turned = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"
    for body, material in (("solid_object: {surface: b}", "elastic_solid"), ("rigid_object: {surface: b}", "gravity")):
        setup = setup_with([body, material], "{b: {surface: part.obj}}")
        for faces, says in ((good[8:], "has one triangle; fill its holes"), (good + good[:8], "triangles 0 and 4 are the same"),
                            (turned[:8] + good[8:], "face different ways")):
            cases.write("part.obj", box + faces)
            refused(cases, setup, says=says)
        cases.write("part.obj", box + turned)
        told(cases, setup, says="'b' is inside out; its triangles are turned around")
        cases.write("part.obj", box + good)
        cases.expect(0, "check", "told.yaml", never="inside out")


def things_without_use(cases):
    """Bodies without material, inputs that nobody takes, overrides that count for nothing."""
    inputs = "{b: {shape: box}, s: {shape: sheet, edge: 0.2}}"
    told(cases, setup_with(["solid_object: {surface: b}", "cloth_object: {surface: s}", "elastic_shell"], inputs),
         says="solid_object: warning: has no material")
    told(cases, setup_with(["solid_object: {surface: b}", "cloth_object: {surface: s}", "elastic_solid"], inputs),
         says="cloth_object: warning: has no material")
    told(cases, setup_with(["solid_object: {surface: b}", "elastic_solid"], inputs),
         says="inputs.s: warning: no behavior uses it")
    cases.expect(0, "check", "told.yaml", never="inputs.b: warning")
    cloth = "{s: {shape: sheet, edge: 0.2, overrides: {density: 900}}}"
    told(cases, setup_with(["cloth_object: {surface: s}", "elastic_shell"], cloth), says="good")
    refused(cases, setup_with(["cloth_object: {surface: s, area_density: 1}", "elastic_shell"], cloth),
            says="`area_density:` is given instead")


def solids_that_cannot_be(cases):
    """Too strong for their material, too soft to stand, too thin for their cells, too fast, carried twice, too near."""
    inputs = ("{b: {shape: box, size: [0.2, 0.1, 0.1]}, far: {shape: box, center: [0, 2, 0], size: [0.1, 0.1, 0.1]}, "
              "plate: {shape: box, size: [1, 0.01, 0.2]}, wall: {shape: box, center: [-0.6, 0, 0], size: [0.3, 1, 1]}, "
              "c: {shape: box, size: [0.2, 0.1, 0.1], center: [0, 0.4, 0]}}")
    soft = "solid_object: {surface: b, cell: 5 cm}"
    for activation, poisson, says in (("90 kPa", 0.3, "and a bar of this material and poisson_ratio bears 0.81"), ("60 kPa", 0.3, "good"),
                                      ("90 kPa", 0.45, "good")):
        told(cases, setup_with([soft, f"elastic_solid: {{poisson_ratio: {poisson}}}", f"muscle: {{activation: {activation}}}"], inputs), says=says)
    told(cases, setup_with(["solid_object: {surface: plate, cell: 3 cm}", "elastic_solid"], inputs), says="thinner than 0.01 m, less than its cells")
    told(cases, setup_with(["solid_object: {surface: plate, cell: 1 cm}", "elastic_solid"], inputs), says="good")
    cases.expect(0, "check", "told.yaml", never="thinner")
    cases.expect(0, "check", cases.write("told.yaml", setup_with(["solid_object: {surface: plate}", "elastic_solid"], inputs)), never="thinner")
    stands = ["gravity", "solid_object: {surface: plate, cell: 2 cm}", "attachment: {surface: wall, range: 15 cm}"]
    refused(cases, setup_with(stands + ["elastic_solid: {youngs_modulus: 10 kPa, gravity_compensation: 1}"], inputs), says="too soft to stand")
    told(cases, setup_with(stands + ["elastic_solid: {youngs_modulus: 1 GPa, gravity_compensation: 1}"], inputs), says="good")
    refused(cases, setup_with(["rigid_object: {surface: b, velocity: [0, 2e6, 0]}"], inputs), says="above largest_speed")
    for drive in ("kind: hinge, axis: [0, 0, 1], motor_spin: 1e5", "kind: slider, axis: [0, 1, 0], motor_speed: 2000"):
        refused(cases, setup_with(["rigid_object: {surface: b}", f"joint: {{between: world, places: [{{at: [0, 0, 0]}}], {drive}}}"], inputs),
                says="above largest_speed (1000 m/s)")
    refused(cases, setup_with(["rigid_object: {surface: b}", "follow: {surface: b, weight: 1}", "follow: {surface: c, weight: 1}"], inputs),
            says="is carried by follow already at 0 s")
    course = "follow: {surface: c, course: [{time: 0, weight: 0}, {time: 9 s, weight: 1}]}"
    told(cases, setup_with(["rigid_object: {surface: b}", "follow: {surface: b, weight: 1}", course], inputs), says="good")
    told(cases, setup_with([soft, "elastic_solid", "collider: {center: [0, -6 cm, 0], strand_thickness: 2 cm}"], inputs),
         says="begin nearer to it than its strand_thickness of 20 mm, the nearest 10 mm")
    told(cases, setup_with([soft, "elastic_solid", "attachment: {surface: far, range: 1 cm}"], inputs), says="the nearest is 1.9 m away")
    refused(cases, setup_with(["rigid_object: {surface: o}"], "{o: {shape: box, overrides: {density: 10}}}"),
            says="rigid_object takes no values from its input")
    cases.write("wrong.yaml", setup_with(["cloth_object: {surface: s}", "elastic_shell: {weave: woven, poisson_ratio: 0.4, stretch_warp: 1, stretch_weft: 1000}"],
                                         "{s: {shape: sheet, edge: 0.2}}"))
    cases.expect(3, "check", "wrong.yaml", says="is too much for a weft", never="has no material")
    curves = (("[{strain: 0.02, tension: 0}, {strain: 0.1, tension: 40}]", "is -10 N/m where the cloth is not strained, so that the cloth would grow"),
              ("[{strain: 0, tension: 5}, {strain: 0.1, tension: 40}]", "is 5 N/m where the cloth is not strained, so that the cloth would shrink"),
              ("[{strain: -0.1, tension: -1}, {strain: 0.1, tension: 40}]", "put that between the points of compression and tension"),
              ("[{strain: -0.1, tension: -1}, {strain: 0, tension: 0}, {strain: 0.1, tension: 40}]", None),
              ("[{strain: 0.05, tension: 20}, {strain: 0.1, tension: 40}]", None))
    for curve, words in curves:
        shell = ["cloth_object: {surface: s}", f"elastic_shell: {{weave: woven, weft_curve: {curve}}}"]
        (refused if words else told)(cases, setup_with(shell, "{s: {shape: sheet, edge: 0.2}}"), says=words or "good")


def contacts_that_are_not_solved(cases):
    """What exact contact does not do yet is refused or told."""
    box = "{b: {shape: box}}"
    joined = ["rigid_object: {surface: b}", "joint: {kind: ball, between: world, places: [{at: [0, 0, 0]}]}"]
    for touching in ("collision", "collider: {response: exact, center: [0, -1, 0]}", "collider: {response: penalty, center: [0, -1, 0]}"):
        told(cases, setup_with(joined + [touching], box), says="good")
    told(cases, setup_with(["rigid_object: {surface: b}", "collision", "collider: {response: exact, center: [0, -1, 0]}"], box), says="good")
    told(cases, setup_with(["cloth_object: {surface: s}", "elastic_shell", "rigid_object: {surface: b}", "collision"],
                           "{b: {shape: box}, s: {shape: sheet, edge: 0.05}}"), says="good")
    refused(cases, setup_with(["curves_object: {curves: hair}", "elastic_rod", "collider: {response: exact, center: [0, -1, 0]}"],
                              "{hair: {groom: {style: long, strands: 4}, overrides: {strand_thickness: 1e-3}}}"), says="exact contact takes it from the collider")
    told(cases, setup_with(["curves_object: {curves: hair}", "elastic_rod", "collision", "collider: {response: exact, center: [0, -1, 0]}"],
                           "{hair: {groom: {style: long, strands: 4}, overrides: {friction: 0.1, thickness: 1e-3}}}"), says="good")
    refused(cases, setup_with(["rigid_object: {surface: b}", "collision: {friction: -1}"], box), says="friction")


def contacts_that_are_dumped(cases):
    """Problems of a run are files that `contact solve` solves; a folder that is in use, or a setup without any, is refused."""
    box = "{b: {shape: box}}"
    floor = "collider: {response: exact, shape: plane, center: [0, -0.0501, 0]}"
    cases.write("resting.yaml", setup_with(["gravity", "rigid_object: {surface: b}", floor], box, time="{frames: [1, 3]}"))
    cases.expect(0, "run", "resting.yaml", "--out", "resting", "--dump-contacts", "problems")
    written = sorted(os.listdir(os.path.join(cases.folder, "problems")))
    files = [name for name in written if name.endswith(".hdf5")]
    if not files or written != sorted(f"contacts_{k + 1:06}{kind}" for k in range(len(files)) for kind in (".hdf5", ".json")):
        raise p.Failure(f"--dump-contacts wrote {written}")
    for name in files:
        with open(os.path.join(cases.folder, "problems", name[:-5] + ".json"), encoding="utf-8") as file:
            if not json.load(file)["nodal"]["error"] < 1e-5:
                raise p.Failure(f"--dump-contacts: the splitting does not solve {name}")
    cases.expect(0, "contact", "solve", *[os.path.join("problems", name) for name in files], says="solved")
    cases.expect(2, "run", "resting.yaml", "--out", "other", "--dump-contacts", "problems", says="choose an empty folder")
    cases.write("apart.yaml", setup_with(["gravity", "rigid_object: {surface: b}"], box))
    cases.expect(2, "run", "apart.yaml", "--out", "other", "--dump-contacts", "none", says="nothing in this setup has exact contact")
    if any(os.path.exists(os.path.join(cases.folder, name)) for name in ("other", "none")):
        raise p.Failure("--dump-contacts: a refused run left a folder")


def answers_of_failed_runs(cases):
    """One JSON document, whatever happened; what `run` refuses, `check` does."""
    for setup, code in ((setup_with(["gravty"]), 3), (setup_with([POINT]), 0)):
        answer = subprocess.run([cases.binary, "run", cases.write("json.yaml", setup), "--json", "--out", "json"], cwd=cases.folder,
                                capture_output=True, text=True)
        document = json.loads(answer.stdout)
        if answer.returncode != code or document.get("exit_code", 0) != code or (code and "gravty" not in document["error"]):
            raise p.Failure(f"run --json: {answer.returncode}, {answer.stdout}")
        cases.count += 1
    still = cases.write("still.yaml", setup_with([POINT]))
    cases.expect(2, "check", still, "--out", "")
    cases.expect(3, "check", still, "--out", "x" * 300, says="too long")
    cases.expect(0, "run", still, "--out", "begun")
    cases.write("begun/initial.h5", "damaged")
    cases.expect(4, "info", "begun", says="initial.h5")
    cases.expect(0, "run", still, "--out", "begun", "--resume")
    cases.expect(0, "info", "begun")


def groups_switched_off(cases):
    """What refers to a group that is off is off too; to one that is empty, it is a mistake."""
    body = "{{group: Body{}, with: [solid_object: {{surface: b}}, elastic_solid, attachment: {{surface: s, range: 1}}]}}"
    hung = "{group: Rest, with: [rigid_object: {surface: b}, attachment: {solids: Body, range: 1}]}"
    around = "{group: Air, with: [volume_object: {voxel: 10 cm, around: Body}]}"
    inputs = "{b: {shape: box}, s: {shape: sheet, edge: 0.2}}"
    told(cases, setup_with([body.format(", enabled: false"), hung, around], inputs),
         says="Rest/attachment: warning: is off, as the group 'Body' that it refers to is")
    cases.expect(0, "check", "told.yaml", says="Air/volume_object: warning: is off")
    cases.expect(0, "run", "told.yaml", "--frames", "1:2", "--no-preview", "--out", "off")
    refused(cases, setup_with(["{group: Body, with: [gravity]}", hung], inputs), says="the group of `solids:` has no solid_object")


def bodies_at_odd_places(cases):
    """Inside colliders, without roots, too thick for their nodes, shared though one rank has them."""
    inputs = "{b: {shape: box, center: [0, 0, 0], size: [0.1, 0.1, 0.1]}, w: {line: {from: [0, 0, 0], to: [0, 1, 0], vertices: 9}}}"
    wall = "collider: {shape: box, center: [0, 0, 0], size: [0.12, 0.12, 0.12]}"
    for body in ("rigid_object: {surface: b}", "solid_object: {surface: b}"):
        told(cases, setup_with([body, "elastic_solid", wall], inputs), says="8 of 8 vertices of")
        told(cases, setup_with([body, "elastic_solid", wall.replace("0, 0, 0", "0, 0.11, 0")], inputs), says="good")
    refused(cases, setup_with(["elaston_object: {curves: w, radius: 20 cm, spacing: 5 cm}"], inputs),
            says="make it 0.1 m or more")
    told(cases, setup_with(["elaston_object: {curves: w, radius: 20 cm}"], inputs), says="good")
    refused(cases, setup_with(["solid_object: {surface: b, ranks: all, solver: direct}", "elastic_solid"], inputs),
            says="a factor lives on one rank")


def runs_without_end(cases):
    """More frames than a disk holds, or a life has: said after the first."""
    with subprocess.Popen([cases.binary, "run", cases.setup, "--no-preview", "--out", "endless", "--frames", "1:99999999"],
                          cwd=cases.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as run:
        said = next((line for line in run.stderr if "frames are left" in line), "")
        run.terminate()
        run.stderr.read()
    if "99,999,998 frames are left" not in said or "days" not in said:
        raise p.Failure(f"a run of 99,999,999 frames says '{said}'")
    cases.count += 1


def faulty_strands(cases):
    """Without length, with a hard attachment: they stay with their root."""
    for name, lines in (("one", "l 1 2\nl 3 4\n"), ("all", "l 3 4\n")):
        cases.write(f"{name}.obj", "v 0 0.5 0\nv 0 0.4 0\nv 0.1 0.5 0\nv 0.1 0.5 0\n" + lines)
        inputs = f"{{c: {{curves: {name}.obj}}, box: {{shape: box, center: [0, 0.75, 0], size: [0.5, 0.5, 0.5]}}}}"
        held = setup_with([STRANDS, "elastic_rod", "gravity", "attachment: {surface: box}"], inputs)
        cases.expect(0, "run", cases.write("held.yaml", held), "--out", name, "--strict", says="they stay where their root")


def whole_numbers(cases):
    """A property counts, whatever its type."""
    for kind in ("float", "int", "char"):
        cases.write("r.ply", POINTS.replace("float {name}", kind + " {name}").format(name="friction", value=-1))
        refused(cases, setup_with(["particle_object: {points: p}", "collider"], "{p: {points: r.ply}}"),
                says="friction must be")


def files_that_are_read(cases):
    """No command writes over what it reads."""
    cases.expect(0, "groom", "generate", "straight", "g.hair", "--strands", "20")
    before = cases.read("g.hair")
    cases.expect(2, "groom", "guides", "g.hair", "g.hair", "--count", "5", says="would be lost")
    cases.expect(2, "groom", "guides", "g.hair", "d.hair", "--count", "5", "--picture", "g.hair", says="pictures are .png")
    cases.expect(0, "groom", "guides", "g.hair", "d.hair", "--count", "5")
    cases.expect(2, "groom", "interpolate", "g.hair", "d.hair", "d.hair", "g.hair", says="would be lost")
    cases.still_holds("g.hair", before)
    still = cases.write("still.yaml", setup_with([POINT]))
    cases.expect(0, "run", still, "--out", "still")
    victim = cases.write("victim", "precious")
    os.symlink(victim, os.path.join(cases.folder, "still", "lock.json"))
    cases.expect(4, "run", still, "--out", "still", "--resume", "--frames", "1:2", says="lock")
    cases.still_holds("victim", b"precious")


def hairs_of_a_cache(cases):
    """Frames hold the hairs: a run with others does not go on with them, and `check` reads them."""
    cases.expect(0, "groom", "generate", "straight", "all.hair", "--strands", "20", "--vertices", "8")
    inputs = "{g: {groom: {style: straight, strands: 5, vertices: 8}}}"
    hairy = setup_with(["curves_object: {curves: g}", "elastic_rod"], inputs, outputs="{hairs: {groom: all.hair}}",
                       time="{frames: [1, 4]}")
    setup = cases.write("hairy.yaml", hairy)
    cases.expect(0, "run", setup, "--out", "hairy", "--frames", "1:2")
    cases.expect(0, "groom", "generate", "wavy", "all.hair", "--strands", "20", "--vertices", "8")
    cases.expect(3, "run", setup, "--out", "hairy", "--resume", says="input all.hair changed")
    cases.write("hairy.yaml", hairy.replace("groom: all.hair", "groom: all.hair, guides: 1"))
    cases.expect(3, "run", setup, "--out", "hairy", "--resume", says="the setup hairy.yaml changed")
    cases.write("all.hair", "damaged")
    cases.expect(3, "check", setup, says="all.hair")
    cases.write("later.yaml", setup_with([POINT], time="{frames: [1, 4]}"))
    cases.expect(0, "run", "later.yaml", "--out", "later")
    cases.write("later.yaml", setup_with([POINT], time="{frames: [3, 6]}"))
    cases.expect(3, "run", "later.yaml", "--out", "later", "--resume", "--from", "2", says="its frames begin with 1")


def later_files_of_a_sequence(cases):
    """Found before the run comes to them."""
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    for frame in range(1, 4):
        cases.write(f"s.{frame:04}.obj", mesh)
    setup = setup_with([POINT, "collider: {shape: mesh, surface: s}"], "{s: {surface: s.####.obj}}")
    cases.expect(0, "check", cases.write("sequence.yaml", setup))
    for wrong, says in ((mesh.replace("v 0 1 0", "v 0 nan 0"), "s.0003.obj:3"), (mesh + "f 1 2 3\n", "triangles differ")):
        cases.write("s.0003.obj", wrong)
        cases.expect(3, "check", "sequence.yaml", says=says)


def damage_before_a_branch(cases):
    """A frame of the setup before cannot be made again; what follows it goes on."""
    setup = cases.write("branch.yaml", setup_with([POINT], time="{frames: [1, 12]}"))
    cases.expect(0, "run", setup, "--out", "branch", "--frames", "1:4")
    cases.write("branch.yaml", setup_with([POINT, "gravity"], time="{frames: [1, 12]}"))
    cases.expect(0, "run", setup, "--out", "branch", "--resume", "--from", "4", "--frames", "1:8")
    os.remove(os.path.join(cases.folder, "branch", "frame_000002.h5"))
    cases.expect(0, "run", setup, "--out", "branch", "--resume", says="are of the setup before")
    for frame in (1, 3, 4, 8, 12):
        cases.read(f"branch/frame_{frame:06}.h5")


def errors_on_ranks(cases):
    """Ranks that meet the same error end by themselves, and one tells it; what mpirun adds to exit codes it adds alone."""
    launcher = shutil.which("mpirun")
    if launcher is None:
        return
    cases.write("wrong.yaml", "ymir: 1\nsetup:\n  - gravty\n")
    cases.write("unmade.yaml", "ymir: 1\nsetup:\n  - solid_object\n")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for arguments, status, says in ((["run", "wrong.yaml"], 3, "did you mean 'gravity'"), (["run", "unmade.yaml"], 3, "needs `surface:`"),
                                    (["run", "absent.yaml"], 3, "no such file"), (["run"], 2, "SETUP is required")):
        cases.count += 1
        done = subprocess.run([launcher, "--oversubscribe", "-n", "2", cases.binary, *arguments], capture_output=True, text=True,
                              errors="replace", timeout=120, cwd=cases.folder, env=environment)
        said = done.stdout + done.stderr
        if done.returncode != status or said.count(says) != 1 or "MPI_ABORT" in said:
            raise p.Failure(f"{' '.join(arguments)} on 2 ranks ended with {done.returncode}: {said[-1500:]}")


def main():
    with tempfile.TemporaryDirectory(prefix="ymir-command-line-") as folder:
        cases = Cases(sys.argv[1], sys.argv[2], folder)
        for part in (options, pipes, values, large_numbers, ignored_values, found_by_check, advice, storms,
                     values_without_sense, points_in_colliders, soft_bodies, rigid_bodies, solids_without_effect, solids_at_odds,
                     springs_beyond_round_off, joints_that_are_gone, folders_that_take_nothing, animations_that_turn_too_far, seams_that_are_held,
                     points_in_a_line, bodies_by_network, surfaces_with_an_inside, things_without_use, solids_that_cannot_be, contacts_that_are_not_solved, contacts_that_are_dumped,
                     answers_of_failed_runs, groups_switched_off, bodies_at_odd_places,
                     runs_without_end, faulty_strands,
                      whole_numbers, files_that_are_read,
                     hairs_of_a_cache, later_files_of_a_sequence, damage_before_a_branch, errors_on_ranks):
            part(cases)
    return f"command_line: {cases.count} commands, each with its exit code"


if __name__ == "__main__":
    p.campaign(main)
