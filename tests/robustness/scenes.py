"""Small setups to start from: every example, made small, and scenes that can be placed anywhere and turned.

A setup is what YAML gives: maps, lists, numbers and strings. It is written as JSON, which is YAML too."""
import copy
import math
import os

import yaml

INPUT_FILES = ("points", "curves", "surface", "volume")


def behaviors(setup):
    """(list that holds the node, its index, name, parameters) of every behavior; a bare name has parameters {}."""
    def walk(nodes):
        for i, node in enumerate(nodes or []):
            if isinstance(node, str):
                yield nodes, i, node, {}
            elif "group" in node:
                yield from walk(node.get("with"))
            else:
                name = next(key for key in node if key != "enabled")
                yield nodes, i, name, node[name] or {}
    yield from walk(setup["setup"])


def set_parameters(nodes, i, name, parameters):
    nodes[i] = {name: parameters} if parameters else name


def number(value):
    """The number in 3, '3', '3 cm'; None when there is none."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(str(value).split()[0])
    except (ValueError, IndexError):
        return None


def scaled(value, factor):
    """The same quantity times a factor, in its own unit."""
    if isinstance(value, list):
        return [scaled(item, factor) for item in value]
    n = number(value)
    if n is None:
        return value
    if isinstance(value, (int, float)):
        return n * factor
    unit = str(value).split(None, 1)[1:]
    return " ".join([repr(n * factor)] + unit)


def shrink(setup):
    """At most 3 frames, a dozen strands, a hundredth of the particles, voxels twice as large."""
    time = setup.setdefault("time", {})
    first = (time.get("frames") or [1, 1])[0]
    time["frames"] = [first, first + 2]
    setup["outputs"] = {"cache": "unused"}
    for entry in (setup.get("inputs") or {}).values():
        groom = entry.get("groom")
        if isinstance(groom, dict):
            groom["strands"] = 12
            groom["vertices"] = min(int(groom.get("vertices", 16)), 14)
        if isinstance(entry.get("guides"), dict):
            entry["guides"]["count"] = 6
    for nodes, i, name, parameters in list(behaviors(setup)):
        if name == "volume_object" and "voxel" in parameters:
            parameters["voxel"] = scaled(parameters["voxel"], 2)
        if name == "particle_object" and isinstance(parameters.get("emit"), dict):
            parameters["emit"]["rate"] = scaled(parameters["emit"].get("rate", 1000), 0.01)
    return setup


def examples(folder):
    """name -> small setup; files it refers to by absolute path."""
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".yaml"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            setup = yaml.safe_load(file)
        for entry in (setup.get("inputs") or {}).values():
            for key in INPUT_FILES:
                if isinstance(entry.get(key), str):
                    entry[key] = os.path.join(os.path.abspath(folder), entry[key])
        found[name[:-5]] = shrink(setup)
    return found


class Place:
    """Turned about z, then moved."""

    def __init__(self, angle=0.0, offset=(0.0, 0.0, 0.0)):
        self.angle, self.offset = math.radians(angle), offset

    def turn(self, v):
        c, s = math.cos(self.angle), math.sin(self.angle)
        return [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]

    def at(self, x):
        return [a + b for a, b in zip(self.turn(x), self.offset)]

    def undo(self, x):
        """Where a point of the placed scene was before."""
        y = [a - b for a, b in zip(x, self.offset)]
        c, s = math.cos(-self.angle), math.sin(-self.angle)
        return [c * y[0] - s * y[1], s * y[0] + c * y[1], y[2]]


def strand_scene(place):
    """A strand falls beside a ball in a breeze."""
    return {"ymir": 1, "time": {"frames": [1, 3], "fps": 24, "substeps": 2},
            "inputs": {"strand": {"line": {"from": place.at([0, 0.5, 0]), "to": place.at([0.2, 0.5, 0.05]),
                                           "vertices": 12}}},
            "setup": [{"gravity": {"acceleration": place.turn([0, -9.81, 0])}},
                      {"collider": {"shape": "sphere", "center": place.at([0.12, 0.38, 0]), "radius": 0.06}},
                      {"group": "Strand", "with": [{"curves_object": {"curves": "strand", "radius": 1e-3}},
                                                   {"elastic_rod": {"youngs_modulus": 1e7}}]}],
            "outputs": {"cache": "unused"}}


def tracer_scene(place):
    """A few drops in a uniform wind."""
    return {"ymir": 1, "time": {"frames": [1, 3], "fps": 24, "substeps": 2},
            "setup": [{"gravity": {"acceleration": place.turn([0, -9.81, 0])}},
                      {"group": "Drops", "with": [
                          {"particle_object": {"radius": 2e-3, "emit": {
                              "from": "sphere", "center": place.at([0, 1, 0]), "radius": 1e-6, "rate": 96,
                              "velocity": place.turn([1, 2, 0])}}},
                          {"drag": {"wind": {"kind": "uniform", "value": place.turn([3, 0, 1])}}}]}],
            "outputs": {"cache": "unused"}}


def wind_scene(place):
    """A strand in a gas that blows. Grids do not turn: for moves by whole tiles only."""
    return {"ymir": 1, "time": {"frames": [1, 3], "fps": 24, "substeps": 2},
            "inputs": {"strand": {"line": {"from": place.at([0, 0.3, 0]), "to": place.at([0, 0.1, 0]),
                                           "vertices": 8}}},
            "setup": ["gravity", "coupled_drag",
                      {"group": "Wind", "with": [{"volume_object": {"voxel": 0.03125, "around": "Strand"}}, "pressure",
                                                 {"wind": {"velocity": [2, 0, 0.5]}}]},
                      {"group": "Strand", "with": [{"curves_object": {"curves": "strand", "radius": 1e-4}},
                                                   {"elastic_rod": {"youngs_modulus": 1e9}}]}],
            "outputs": {"cache": "unused"}}


# name -> (scene, may it be turned, the object that moves)
PLACED = {"strand": (strand_scene, True, "Strand"), "drops": (tracer_scene, True, "Drops"),
          "strand_in_wind": (wind_scene, False, "Strand")}


def reordered(setup, dice):
    """The same setup with its top-level groups and the members of each group in another order."""
    other = copy.deepcopy(setup)

    def shuffle(nodes):
        dice.shuffle(nodes)
        for node in nodes:
            if isinstance(node, dict) and node.get("with"):
                shuffle(node["with"])
    shuffle(other["setup"])
    return other
