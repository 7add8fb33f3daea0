#!/usr/bin/env python3
"""Solids in extreme setups: ratios of a million, steps from 1e-5 s to 0.5 s, joints pulled apart, bad meshes. What falls freely falls as
backward Euler says, what is joined stays joined; what cannot be simulated is refused by name.

    solids.py build/ymir
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

GRAVITY = 9.81
HEAD = "ymir: 1\ntime: {{frames: [1, {frames}], fps: {fps}, substeps: {substeps}}}\n"


def run(ymir, folder, name, text):
    setup, out = os.path.join(folder, name + ".yaml"), os.path.join(folder, name)
    with open(setup, "w") as file:
        file.write(text)
    done = subprocess.run([ymir, "run", setup, "--out", out, "--threads", "1", "--no-preview", "--log", "warn"],
                          capture_output=True, text=True, timeout=120)
    return done, out


def ranges(ymir, out, frame):
    """Least and largest position of every object in a frame."""
    answer = subprocess.run([ymir, "info", os.path.join(out, f"frame_{frame:06d}.h5"), "--json"], check=True,
                            capture_output=True, text=True)
    found = {}
    for thing in json.loads(answer.stdout)["objects"]:
        position = thing["channels"]["position"]
        expect(position["finite"], f"{out}, frame {frame}: {thing['name']} is not finite")
        found[thing["name"]] = (position["low"], position["high"])
    return found


def coupled(ymir, out, frame):
    """What the first joint remembers: its angle."""
    answer = subprocess.run([ymir, "info", os.path.join(out, f"checkpoint_{frame:06d}.h5"), "--json"], check=True,
                            capture_output=True, text=True)
    return next(o["channels"]["couplings"]["low"][0] for o in json.loads(answer.stdout)["objects"] if o["name"] == "solids")


def expect(condition, text):
    if not condition:
        sys.exit("failed: " + text)


def must_run(ymir, folder, name, text):
    done, out = run(ymir, folder, name, text)
    expect(done.returncode == 0, f"{name}: exit {done.returncode}: {done.stderr.strip()}")
    return out


def falls(ymir, folder, name, text, fps, substeps, frames):
    """All of it falls by g dt^2 n (n + 1) / 2 in n substeps and keeps its shape."""
    out = must_run(ymir, folder, name, HEAD.format(frames=frames, fps=fps, substeps=substeps) + text)
    dt = 1 / (fps * substeps)
    depth = [GRAVITY * dt * dt * n * (n + 1) / 2 for n in (substeps, frames * substeps)]
    drop = depth[1] - depth[0]
    first, last = ranges(ymir, out, 1), ranges(ymir, out, frames)
    for thing in first:
        for end in (0, 1):
            moved = [b - a for a, b in zip(first[thing][end], last[thing][end])]
            # Frames are in single precision.
            near = 2e-6 + 2e-6 * drop
            expect(abs(moved[1] + drop) < near and abs(moved[0]) < 2e-6 and abs(moved[2]) < 2e-6,
                   f"{name}: {thing} moved by {moved}, not down by {drop}")


PAIR = """inputs:
  left: {{shape: box, center: [-10 cm, 0, 0], size: [20 cm, 10 cm, 10 cm]}}
  right: {{shape: box, center: [10 cm, 0, 0], size: [20 cm, 10 cm, 10 cm]}}
setup:
  - gravity
  - group: Left
    with:
      - solid_object: {{surface: left, cell: 5 cm, density: {rho} kg/m^3}}
      - elastic_solid: {{youngs_modulus: {e} Pa, poisson_ratio: 0.3}}
  - group: Right
    with:
      - solid_object: {{surface: right, cell: 5 cm, density: 1000 kg/m^3}}
      - elastic_solid: {{youngs_modulus: 1e5 Pa, poisson_ratio: 0.3}}
      - attachment: {{solids: Left, range: 1 cm}}
"""

WHEEL = """inputs:
  box: {{shape: box, center: [0, 1, 0], size: [10 cm, 10 cm, 10 cm]}}
setup:
  - rigid_object: {{surface: box}}
  - joint: {{kind: hinge, between: world, axis: [0, 0, 1], places: [{{at: [0, 1, 0]}}], {drive}}}
"""

JOINED = """inputs:
  left: {{shape: box, center: [-10 cm, 0, 0], size: [20 cm, 10 cm, 10 cm]}}
  right: {{shape: box, center: [10 cm, 0, 0], size: [20 cm, 10 cm, 10 cm]}}
setup:
  - group: Bodies
    with:
      - rigid_object: {{surface: left, velocity: [{x}, {y}, 0]}}
      - rigid_object: {{surface: right, velocity: [-({x}), -({y}), 0], density: 1000 kg/m^3}}
      - joint: {{kind: {kind}, places: [{{at: [0, 0, 0], body: 0, other: 1}}]}}
"""

LINK = "{{shape: box, center: [{x} cm, 0, 0], size: [18 cm, 4 cm, 4 cm]}}"


def taut(kinds):
    """Five links in a straight line between two fixed joints: no finite tension carries their weight."""
    names = [f"l{i}" for i in range(5)]
    lines = ["inputs:"] + [f"  {n}: " + LINK.format(x=20 * i + 10) for i, n in enumerate(names)]
    lines += ["setup:", "  - gravity", "  - group: Links", "    with:"]
    lines += [f"      - rigid_object: {{surface: {n}}}" for n in names]
    for i in range(6):
        kind = kinds[i % len(kinds)]
        axis = ", axis: [0, 0, 1]" if kind == "hinge" else ""
        between = ", between: world" if i in (0, 5) else ""
        ends = f"body: {max(i - 1, 0)}" + ("" if between else f", other: {i}")
        lines.append(f"      - joint: {{kind: {kind}{axis}{between}, places: [{{at: [{20 * i} cm, 0, 0], {ends}}}]}}")
    return "\n".join(lines) + "\n"


CHAIN = """inputs:
  box: {{shape: box, center: [0, 0, 0], size: [2 cm, 2 cm, 2 cm]}}
setup:
  - gravity
  - group: Links
    with:
      - rigid_object: {{surface: box, copies: {links}, copy_offset: [{x} cm, {y} cm, 0]}}
      - joint: {{kind: {kind}, between: neighbours{more}}}
      - joint: {{kind: {end}, between: world, places: [{{at: [{ax} cm, {ay} cm, 0], body: 0}}]}}
"""


def chains(ymir, folder):
    """Hinges with limits and friction, and welds, in long rows: no substep is halved, nothing is said to contradict itself."""
    cases = 0
    hinge = ", axis: [0, 0, 1], low_angle: -0.1, high_angle: 0.1, friction_torque: 0.1"
    for links, kind, end, more, substeps in ((60, "hinge", "ball", hinge, 1), (60, "hinge", "ball", hinge, 8),
                                             (200, "hinge", "ball", hinge, 1), (100, "weld", "weld", "", 1), (300, "weld", "weld", "", 2)):
        for x, y in ((3, 0), (0, -3)):
            name = f"chain_{kind}_{links}_{substeps}_{x}"
            text = CHAIN.format(links=links, kind=kind, end=end, more=more, x=x, y=y, ax=-x / 2, ay=-y / 2)
            done, out = run(ymir, folder, name, HEAD.format(frames=6, fps=24, substeps=substeps) + text)
            expect(done.returncode == 0 and "failed" not in done.stderr, f"{name}: {done.returncode} {done.stderr.strip()}")
            if kind == "weld":
                first, last = (next(iter(ranges(ymir, out, frame).values())) for frame in (1, 6))
                expect(all(abs(a - b) < 1e-6 for p, q in zip(first, last) for a, b in zip(p, q)), f"{name}: {first} to {last}")
            cases += 1
    return cases


# Two cubes of 1 mm, a millionth of the mass of the soft body that the first of them is set in.
LIGHT = """inputs:
  body: {shape: box, size: [20 cm, 20 cm, 20 cm]}
  wall: {shape: box, center: [-10.5 cm, 0, 0], size: [1 cm, 20 cm, 20 cm]}
  first: {shape: box, center: [100.5 mm, 0, 0], size: [1 mm, 1 mm, 1 mm]}
  second: {shape: box, center: [101.5 mm, 0, 0], size: [1 mm, 1 mm, 1 mm]}
setup:
  - gravity
  - group: Body
    with:
      - solid_object: {surface: body, cell: 4 cm, density: 1000 kg/m^3}
      - elastic_solid: {youngs_modulus: 1e5 Pa, poisson_ratio: 0.3}
      - attachment: {surface: wall, range: 1 cm}
  - group: First
    with:
      - rigid_object: {surface: first}
      - attachment: {solids: Body, range: 1 mm}
  - group: Second
    with:
      - rigid_object: {surface: second}
  - joint: {kind: ball, places: [{at: [101 mm, 0, 0], body: 0, other: 1}]}
"""

# Onto a table much thinner than the way of a substep.
FALLING = """inputs:
  ball: {{shape: ellipsoid, center: [0, {height} m, 0], size: [20 cm, 20 cm, 20 cm]}}
  sheet: {{shape: sheet, center: [0, {height} m, 0], size: [30 cm, 30 cm, 1 cm], edge: 4 cm, turn: [90 deg, 0, 0]}}
setup:
  - gravity
  - collider: {{shape: box, center: [0, -1 cm, 0], size: [2, 2 cm, 2]}}
  - group: Body
    with:
{body}"""
BODIES = {"rigid": """      - rigid_object: {surface: ball, density: 500 kg/m^3}
""", "soft": """      - solid_object: {surface: ball, cell: 5 cm}
      - elastic_solid: {youngs_modulus: 50 kPa, poisson_ratio: 0.4}
""", "cloth": """      - cloth_object: {surface: sheet}
      - elastic_shell
"""}

LANDING = """inputs:
  ball: {{shape: {shape}, center: [0, 8 cm, 0], size: [10 cm, 10 cm, 10 cm]}}
setup:
  - gravity
  - group: Ball
    with:
      - solid_object: {{surface: ball, cell: 2.5 cm}}
      - elastic_solid: {{youngs_modulus: 50 kPa, poisson_ratio: 0.4}}
      - collider: {{shape: plane, friction: 0.5}}
"""

SLIVER = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 0.1 0 0
3 0 0.1 0
4 0 0 0.1
5 0.1 0.1 0.1
6 0.034 0.033 {height}
$EndNodes
$Elements
3
1 4 2 0 1 1 2 3 4
2 4 2 0 1 2 3 4 5
3 4 2 0 1 1 3 2 6
$EndElements
"""

BODY = """inputs:
  body: {body: sliver.msh}
setup:
  - gravity
  - group: Body
    with:
      - solid_object: {body: body}
      - elastic_solid: {youngs_modulus: 1e5 Pa, poisson_ratio: 0.3}
"""

FANS = """v 0 0 0
v 0 0 1
v 1 0 0
v 0 1 0
v -1 0 0
f 1 2 3
f 1 2 4
f 1 2 5
"""

CLOTH = """inputs:
  fans: {surface: fans.obj}
setup:
  - gravity
  - group: Cloth
    with:
      - cloth_object: {surface: fans, area_density: 0.2 kg/m^2}
      - elastic_shell: {youngs_modulus: 1 MPa}
"""

# Inside out at the third corner, which no Gauss point sees.
FOLDED = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
8
1 0 0 0
2 0.1 0 0
3 {x} {x} 0
4 0 0.1 0
5 0 0 0.1
6 0.1 0 0.1
7 {x} {x} 0.1
8 0 0.1 0.1
$EndNodes
$Elements
1
17 5 2 0 1 1 2 3 4 5 6 7 8
$EndElements
"""

SEWN = """inputs:
  sheet: {{shape: sheet, size: [32 cm, 8 cm, 1 cm], edge: 1 cm}}
setup:
  - group: Cloth
    with:
      - cloth_object: {{surface: sheet}}
      - elastic_shell
      - sewing: {{pairs: [{pairs}]}}
"""

FAR = """inputs:
  ball: {{shape: ellipsoid, center: [{x} km, 0, 0], size: [10 cm, 10 cm, 10 cm]}}
setup:
  - group: Ball
    with:
      - rigid_object: {{surface: ball}}
"""

HELD = """inputs:
  hair: {{groom: {{style: straight, strands: 5, vertices: 6, length: 6 cm}}}}
  head: {{shape: head}}
setup:
  - group: Body
    with:
      - solid_object: {{surface: head}}
      - elastic_solid
  - group: Hair
    with:
      - curves_object: {{curves: hair, clamp_roots: false}}
      - elastic_rod: {{inextensible: {inextensible}}}
      - attachment: {{solids: Body, points: {points}, range: 20 cm}}
"""

HEAVY = """inputs:
  left: {{shape: box, center: [-10 cm, 0, 0], size: [20 cm, 10 cm, 10 cm]}}
  right: {{shape: box, center: [10 cm, 0, 0], size: [20 cm, 10 cm, 10 cm]}}
setup:
  - group: Bodies
    with:
      - rigid_object: {{surface: left}}
      - rigid_object: {{surface: right, density: {rho} kg/m^3}}
      - joint: {{kind: ball, between: neighbours, spring_torque: {spring}}}
"""


SKIN = """inputs:
  b: {{body: one.msh}}
  s: {{shape: box, center: [{x}, 0.02, 0.02], size: [0.02, 0.02, 0.02]}}
setup:
  - solid_object: {{body: b, skin: s}}
  - elastic_solid
"""
ONE = SLIVER[:SLIVER.index("$Nodes")] + """$Nodes
4
1 0 0 0
2 0.1 0 0
3 0 0.1 0
4 0 0 0.1
$EndNodes
$Elements
1
1 4 2 0 1 1 2 3 4
$EndElements
"""


def sewn(pairs):
    return SEWN.format(pairs=", ".join(f"{{first: {a}, second: {b}}}" for a, b in pairs))


# (name, setup, exit code of `check`, words it says or None: it has nothing to say of the matter)
TOLD = [
    ("motor_stopped", WHEEL.format(drive="motor_spin: 10, high_angle: 1"), 0, None),
    ("motor_blocked", WHEEL.format(drive="motor_spin: 10, high_angle: 0"), 0, "against a limit that the joint begins at"),
    ("motor_weak", WHEEL.format(drive="motor_spin: 10, high_angle: 1, motor_torque: 5"), 0, None),
    ("motor_away", WHEEL.format(drive="motor_spin: -10, high_angle: 1"), 0, None),
    ("motor_fast", WHEEL.format(drive="motor_spin: 1e10"), 3, "above largest_speed"),
    ("spring", HEAVY.format(rho=1000, spring=1e30), 0, "1e+12 is taken"),
    ("masses", HEAVY.format(rho=1e13, spring=1), 0, "lost in round-off"),
    ("bodies", HEAVY.format(rho=1000, spring=1), 0, None),
    ("sewn_into_one", sewn([(0, k) for k in range(1, 34)]), 0, "Cloth/sewing: warning: draws both ends of"),
    ("sewn", sewn([(0, 20)]), 0, None),
    ("far", FAR.format(x=100), 0, "Ball/rigid_object: warning: lies up to 1e+05 m from the origin"),
    ("near", FAR.format(x=0.05), 0, None),
    ("overheld", HELD.format(inextensible="true", points="all"), 3, "Hair/attachment: holds every vertex of 5 strands"),
    ("skin", SKIN.format(x=0.02), 0, None),
    ("skin_outside", SKIN.format(x=0.2), 0, "8 vertices of the skin 's' are outside of all cells, vertex 7 as far as 0.1"),
    ("skin_elsewhere", SKIN.format(x=2), 3, "8 of the 8 vertices of 's' are too far from the body 'b' to move with its cells, vertex 7 by 1.9"),
    ("held", HELD.format(inextensible="true", points="tips"), 0, None),
    ("extensible", HELD.format(inextensible="false", points="all"), 0, None),
]


def told(ymir, folder, name, text, code, words):
    setup = os.path.join(folder, name + ".yaml")
    with open(setup, "w") as file:
        file.write(HEAD.format(frames=2, fps=24, substeps=2) + text)
    done = subprocess.run([ymir, "check", setup, "--out", os.path.join(folder, name)], capture_output=True, text=True, timeout=120)
    expect(done.returncode == code, f"check {name}: exit {done.returncode}: {done.stdout}{done.stderr}")
    said = words in done.stdout if words else "warning" not in done.stdout
    expect(said, f"check {name} says: {done.stdout}")


CRUSHED = """inputs: {{b: {{shape: box, size: [20 cm, 10 cm, 10 cm]}}}}
setup:
  - solid_object: {{surface: b, cell: 5 cm}}
  - elastic_solid: {{youngs_modulus: 100 kPa, poisson_ratio: 0.3, relaxation_time: 50 ms}}
  - muscle: {{activation: {activation} kPa}}
"""

NEAR = """inputs: {{b: {{shape: box, center: [0, 20 cm, 0], size: [10 cm, 10 cm, 10 cm]}}}}
setup:
  - gravity
  - {body}
  - {material}
  - collider: {{center: [0, 14.9 cm, 0], strand_thickness: {thickness}, response: {response}}}
"""


def crushed(ymir, folder):
    """What fibres crush is told; what they only shorten is not."""
    for activation, told in ((60, False), (150, True)):
        done, _ = run(ymir, folder, f"crushed_{activation}", HEAD.format(frames=24, fps=24, substeps=2) + CRUSHED.format(activation=activation))
        expect(done.returncode == 0 and ("cells are crushed" in done.stderr) == told,
               f"activation of {activation} kPa: {done.returncode} {done.stderr.strip()}")


FLOATING = """inputs: {{b: {{shape: ellipsoid, size: [0.4, 0.4, 0.4]}}}}
setup:
  - coupled_buoyancy
  - group: B
    with:
      - {body}
  - group: G
    with:
      - volume_object: {{voxel: 0.05, density: 50, domain: {{low: [-0.5, -0.5, -0.5], high: [0.5, 0.5, 0.5], fill: true}}}}
      - pressure
"""


def floating(ymir, folder):
    """Bodies fill the voxels that they are in; larger voxels would be no remedy. Points that do are told."""
    for name, body, told in (("body", "rigid_object: {surface: b, density: 100}", False),
                             ("points", "particle_object: {emit: {from: sphere, radius: 0.1, rate: 20000}, radius: 4 cm, density: 100}", True)):
        done, _ = run(ymir, folder, f"floating_{name}", HEAD.format(frames=3, fps=48, substeps=1) + FLOATING.format(body=body))
        expect(done.returncode == 0 and ("fill more than" in done.stderr) == told, f"floating {name}: {done.returncode} {done.stderr.strip()}")


def near(ymir, folder):
    """What begins nearer to a collider than it may be kept does not sink below its surface: a penalty keeps it there, exact contact
    lets it away at 2 cm/s."""
    for kind, body, material in (("soft", "solid_object: {surface: b, cell: 5 cm}", "elastic_solid"),
                                 ("rigid", "rigid_object: {surface: b}", "drag")):
        for response, thickness in itertools.product(("penalty", "exact"), ("0.5 mm", "2 cm", "10 cm")):
            text = NEAR.format(body=body, material=material, thickness=thickness, response=response)
            highest = 0.1501 + (0.02 * 12 / 24 if response == "exact" else 0)
            out = must_run(ymir, folder, f"near_{kind}_{response}_{thickness[:3]}", HEAD.format(frames=12, fps=24, substeps=1) + text)
            low = next(at for name, at in ranges(ymir, out, 12).items() if name.endswith("object"))[0][1]
            expect(0.149 < low < highest, f"near, {kind}, {response}, {thickness}: lowest at {low}")


def main():
    ymir = os.path.abspath(sys.argv[1])
    cases = 0
    with tempfile.TemporaryDirectory() as folder:
        crushed(ymir, folder)
        near(ymir, folder)
        floating(ymir, folder)
        cases += 10 + chains(ymir, folder)
        for rho in (1e-3, 1, 1e3, 1e6):
            falls(ymir, folder, f"mass_{rho:g}", PAIR.format(rho=rho, e=1e5), 24, 2, 6)
            cases += 1
        for e in (1e2, 1e8, 1e11):
            falls(ymir, folder, f"stiff_{e:g}", PAIR.format(rho=1000, e=e), 24, 2, 6)
            cases += 1
        for fps, substeps, frames in ((1000, 100, 2), (1000, 1, 20), (24, 1, 4), (2, 1, 3)):
            falls(ymir, folder, f"step_{fps}_{substeps}", PAIR.format(rho=1000, e=1e5), fps, substeps, frames)
            cases += 1
        # A box has vertices at its corners alone.
        for shape, fps, substeps, frames in (("ellipsoid", 1000, 100, 2), ("ellipsoid", 24, 1, 12), ("ellipsoid", 2, 1, 6),
                                             ("box", 24, 2, 24)):
            out = must_run(ymir, folder, f"landing_{shape}_{fps}_{substeps}",
                           HEAD.format(frames=frames, fps=fps, substeps=substeps) + LANDING.format(shape=shape))
            for frame in range(1, frames + 1):
                for low, high in ranges(ymir, out, frame).values():
                    expect(low[1] > -0.01 and 0.09 < high[1] < 0.2, f"landing at {fps} fps: between {low} and {high}")
            cases += 1
        for body, setup in BODIES.items():
            for height in (1, 3):
                name = f"falling_{body}_{height}"
                out = must_run(ymir, folder, name, HEAD.format(frames=26, fps=24, substeps=1) + FALLING.format(height=height, body=setup))
                low, high = ranges(ymir, out, 26)["Body/" + {"soft": "solid", "rigid": "rigid", "cloth": "cloth"}[body] + "_object"]
                expect(-0.005 < low[1] < 0.01 and high[1] < 0.25, f"{name}: between {low} and {high}")
                cases += 1
        # The ends do not come apart: those of bodies pulled along their line stop, those torn sideways turn about the joint.
        for kind in ("ball", "hinge", "weld"):
            for x, y in (("-100 m/s", "0 m/s"), ("0 m/s", "100 m/s")):
                name = f"joint_{kind}_{'pulled' if y[0] == '0' else 'torn'}"
                out = must_run(ymir, folder, name, HEAD.format(frames=4, fps=24, substeps=2) +
                               JOINED.format(kind=kind, x=x, y=y).replace("-(-100 m/s)", "100 m/s").replace(
                                   "-(0 m/s)", "0 m/s").replace("-(100 m/s)", "-100 m/s"))
                for frame in range(1, 5):
                    for low, high in ranges(ymir, out, frame).values():
                        expect(max(abs(v) for v in low + high) < 0.22, f"{name}: frame {frame} between {low} and {high}")
                cases += 1
        # They stay where they are, but for a sag that stretches the line by less than 1e-6.
        for kinds in (("ball",), ("hinge",), ("ball", "hinge")):
            name = "taut_" + "_".join(kinds)
            done, out = run(ymir, folder, name, HEAD.format(frames=10, fps=24, substeps=2) + taut(kinds))
            expect(done.returncode == 0 and "failed" not in done.stderr, f"{name}: {done.returncode} {done.stderr.strip()}")
            for low, high in ranges(ymir, out, 10).values():
                expect(-0.0205 < low[1] and high[1] < 0.0205 and 0 < low[0] and high[0] < 1, f"{name}: between {low} and {high}")
            cases += 1
        done, out = run(ymir, folder, "light", HEAD.format(frames=12, fps=24, substeps=2) + LIGHT)
        expect(done.returncode == 0 and "failed" not in done.stderr, f"light: {done.returncode} {done.stderr.strip()}")
        for frame in range(1, 13):
            at = ranges(ymir, out, frame)
            first, second = ([(a + b) / 2 for a, b in zip(*at[f"{name}/rigid_object"])] for name in ("First", "Second"))
            apart = sum((a - b) ** 2 for a, b in zip(first, second)) ** 0.5
            expect(apart < 1e-3 + 1e-7 and 0.09 < first[0] < 0.11, f"light: frame {frame}, {first} and {second}, {apart} m apart")
        cases += 1
        # Also by more than a turn in a substep, and towards an angle turns away.
        for drive, angle in (("motor_spin: 10", 2.5), ("motor_spin: 100", 25), ("motor_spin: -140", -35), ("motor_spin: 500", 125),
                             ("motor_angle: 8", 8)):
            out = must_run(ymir, folder, f"wheel_{angle}", HEAD.format(frames=6, fps=24, substeps=1) + WHEEL.format(drive=drive))
            turned = coupled(ymir, out, 6)
            expect(abs(turned - angle) < 1e-6, f"wheel with {drive}: turned by {turned}, not {angle}")
            cases += 1
        for height in (1e-3, 1e-5, 0.0):
            with open(os.path.join(folder, "sliver.msh"), "w") as file:
                file.write(SLIVER.format(height=-height))
            done, _ = run(ymir, folder, f"sliver_{height:g}", HEAD.format(frames=4, fps=24, substeps=2) + BODY)
            expect(done.returncode == 0 or (done.returncode == 2 and "sliver.msh" in done.stderr + done.stdout) or
                   "Body/solid_object" in done.stderr + done.stdout, f"sliver of {height} m: {done.returncode} {done.stderr}")
            cases += 1
        with open(os.path.join(folder, "fans.obj"), "w") as file:
            file.write(FANS)
        done, _ = run(ymir, folder, "fans", HEAD.format(frames=3, fps=24, substeps=2) + CLOTH)
        expect(done.returncode == 0 or "fans" in done.stderr + done.stdout, f"three triangles on an edge: {done.stderr}")
        cases += 1
        with open(os.path.join(folder, "one.msh"), "w") as file:
            file.write(ONE)
        for case in TOLD:
            told(ymir, folder, *case)
            cases += 1
        for x, words in ((0.04, "cell 17 is inside out at a corner"), (0.06, None)):
            with open(os.path.join(folder, "sliver.msh"), "w") as file:
                file.write(FOLDED.format(x=x))
            told(ymir, folder, f"folded_{x}", BODY, 0, words)
            cases += 1
    print(f"{cases} cases")


main()
