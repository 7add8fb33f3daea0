"""Writes tree.ply, tree_leaves.obj and tree_trunk.obj, the plant of examples/tree.yaml: a trunk whose foot is a solid,
branches that grow out of it, twigs that grow out of those, each a strand with a radius per vertex, leaves on the twigs,
and apples, solids too."""
import math
import sys

TRUNK, BRANCH, TWIG = 2.0, 0.9, 0.36  # lengths [m]
GOLDEN = math.pi * (3 - math.sqrt(5))
LEAF = ((0, 0, 0), (0.35, 0.5, 0.04), (1, 0, -0.1), (0.35, -0.5, 0.04), (0.4, 0, -0.03))  # along, across, up
FOOT = 0.3  # of the trunk, that is a solid
APPLE = 0.04  # radius [m]
FACES = ((0, 4, 1), (1, 4, 2), (2, 4, 3), (3, 4, 0))


def add(a, b, s=1.0):
    return tuple(x + s * y for x, y in zip(a, b))


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return tuple(x / length for x in v)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def grow(start, direction, length, thick, thin, rise, vertices):
    """A strand that bends upwards by `rise` radians over its length."""
    strand, at, way = [], start, unit(direction)
    for k in range(vertices):
        s = k / (vertices - 1)
        strand.append((at, thick + (thin - thick) * s))
        way = unit(add(way, (0, 1, 0), rise / (vertices - 1)))
        at = add(at, way, length / (vertices - 1))
    return strand


def along(strand, s):
    """Place, direction and radius at a share of the strand."""
    k = min(int(s * (len(strand) - 1)), len(strand) - 2)
    t = s * (len(strand) - 1) - k
    (a, ra), (b, rb) = strand[k], strand[k + 1]
    return add(a, add(b, a, -1), t), unit(add(b, a, -1)), ra + (rb - ra) * t


def closed(rings):
    """Vertices and triangles of a tube around rings of points, its ends closed by a fan each."""
    points, faces, n = [p for ring in rings for p in ring], [], len(rings[0])
    for k in range(len(rings) - 1):
        for i in range(n):
            a, b = k * n + i, k * n + (i + 1) % n
            faces += [(a, a + n, b + n), (a, b + n, b)]
    for ring, turn in ((0, 1), (len(rings) - 1, -1)):
        middle = len(points)
        points.append(tuple(sum(p[c] for p in rings[ring]) / n for c in range(3)))
        faces += [(middle, ring * n + i, ring * n + (i + 1) % n)[::turn] for i in range(n)]
    return points, faces


def foot(trunk):
    """Thick, and wider at five roots."""
    rings, sides = [], 20
    for k in range(13):
        height = FOOT * k / 12
        at, _, radius = along(trunk, height)
        flare = 0.1 * math.exp(-height * TRUNK / 0.12)
        ring = []
        for i in range(sides):
            angle = 2 * math.pi * i / sides
            r = radius + flare * (1 + 0.4 * math.cos(5 * angle))
            ring.append(add(at, (math.cos(angle), 0, math.sin(angle)), r))
        rings.append(ring)
    return closed(rings)


def apple(top):
    """Hangs at its top."""
    rings = []
    for k in range(1, 8):
        polar = math.pi * k / 8
        ring = [add(add(top, (0, -APPLE * (1 + math.cos(polar)), 0)),
                    (math.cos(0.2 * math.pi * i), 0, math.sin(0.2 * math.pi * i)), APPLE * math.sin(polar)) for i in range(10)]
        rings.append(ring)
    return closed(rings)


def main(folder):
    trunk = grow((0, 0, 0), (0.08, 1, 0.03), TRUNK, 0.06, 0.012, 0.0, 21)
    first = round(FOOT * 20)
    strands, leaves, solids = [trunk[first:]], [], [foot(trunk)]
    for i in range(9):
        at, way, radius = along(trunk, 0.38 + 0.62 * i / 8 - (0.002 if i == 8 else 0))
        angle = i * GOLDEN
        out = (math.cos(angle), 0.55, math.sin(angle))
        length = BRANCH * (1 - 0.55 * i / 8)
        branch = grow(at, out, length, min(0.016, 0.8 * radius), 0.005, 0.5, 7)
        strands.append(branch)
        for j in range(4):
            at, way, radius = along(branch, (0.45, 0.65, 0.85, 0.995)[j])
            side = unit(cross(way, (0, 1, 0)))
            turn = (1, -1, 1, 0)[j]
            twig = grow(at, add(add(way, side, 0.9 * turn), (0, 0.3, 0)), TWIG, 0.8 * radius, 0.0025, 0.3, 5)
            strands.append(twig)
            if j == 3 or (i + j) % 4 == 0:
                solids.append(apple(twig[-1][0]))
            for k in range(3):
                at, way, radius = along(twig, (0.5, 0.8, 0.999)[k])
                side = unit(cross(way, (0, 1, 0)))
                tip = unit(add(add(way, side, (1.2, -1.2, 0)[k]), (0, -0.35, 0)))
                across = unit(cross(tip, (0.15 * (k - 1), 1, 0.1 * j)))
                leaves.append((at, tip, across, cross(across, tip)))
    with open(folder + "/tree.ply", "w") as out:
        out.write("ply\nformat ascii 1.0\ncomment a tree: trunk, branches, twigs\n")
        out.write("element vertex %d\n" % sum(len(s) for s in strands))
        for name in ("float x", "float y", "float z", "float radius", "int strand"):
            out.write("property %s\n" % name)
        out.write("end_header\n")
        for number, strand in enumerate(strands):
            for at, radius in strand:
                out.write("%.5f %.5f %.5f %.5f %d\n" % (*at, radius, number))
    with open(folder + "/tree_leaves.obj", "w") as out:
        out.write("# leaves of tree.ply\n")
        for at, tip, across, up in leaves:
            for x, y, z in LEAF:
                p = add(add(add(at, tip, 0.15 * x), across, 0.09 * y), up, 0.15 * z)
                out.write("v %.5f %.5f %.5f\n" % p)
        for n in range(len(leaves)):
            for f in FACES:
                out.write("f %d %d %d\n" % tuple(5 * n + 1 + v for v in f))
    with open(folder + "/tree_trunk.obj", "w") as out:
        out.write("# foot and apples of tree.ply\n")
        before = 1
        for points, faces in solids:
            for p in points:
                out.write("v %.5f %.5f %.5f\n" % p)
            for f in faces:
                out.write("f %d %d %d\n" % tuple(before + v for v in f))
            before += len(points)


main(sys.argv[1] if len(sys.argv) > 1 else ".")
