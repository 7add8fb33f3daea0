"""Writes knot.obj, the cord of examples/knot.yaml: a loose overhand knot with two straight tails. A flat loop, whose ends
are turned about each other by three half turns."""
import math
import sys

LOOP, BRAID, GAP, TAIL = 0.06, 0.08, 0.0056, 0.10  # radius; half the length of the braid, and of its width; a tail [m]
HEIGHT = 0.25  # of the tails [m]
EDGE = 0.0075  # 1.5 radii of the cord: segments next but two to each other must not touch
FINE = 400


def braided(s, side):
    turn = 3 * math.pi * s * s * (3 - 2 * s)
    return (BRAID * (2 * s - 1), side * GAP * math.cos(turn), side * GAP * math.sin(turn))


def looped(s):
    """The right half, from the braid down to the middle: a cubic curve that is nearly half a circle."""
    handle = 4 / 3 * LOOP
    corners = ((BRAID, -GAP), (BRAID + handle, -GAP), (handle, -2 * LOOP), (0, -2 * LOOP))
    weights = ((1 - s) ** 3, 3 * (1 - s) ** 2 * s, 3 * (1 - s) * s * s, s ** 3)
    return tuple(sum(w * c[k] for w, c in zip(weights, corners)) for k in (0, 1)) + (0,)


def even(points, edge):
    """Along the same line in steps of about one length."""
    along = [0]
    for a, b in zip(points, points[1:]):
        along.append(along[-1] + math.dist(a, b))
    count, found, k = round(along[-1] / edge), [], 0
    for n in range(count + 1):
        at = along[-1] * n / count
        while k + 2 < len(points) and along[k + 1] < at:
            k += 1
        s = (at - along[k]) / (along[k + 1] - along[k])
        found.append(tuple(a + s * (b - a) for a, b in zip(points[k], points[k + 1])))
    return found


def main(folder):
    steps = [n / FINE for n in range(FINE)]
    right = [looped(s) for s in steps] + [looped(1)]
    line = [(-BRAID - TAIL, GAP, 0)] + [braided(s, 1) for s in steps] + right
    line += [(-x, y, z) for x, y, z in reversed(right[:-1])] + [braided(s, -1) for s in steps[1:]]
    line += [braided(1, -1), (BRAID + TAIL, GAP, 0)]
    points = even(line, EDGE)
    with open(folder + "/knot.obj", "w") as out:
        out.write("# a loose overhand knot\n")
        for x, y, z in points:
            out.write("v %.5f %.5f %.5f\n" % (x, y + HEIGHT, z))
        out.write("l " + " ".join(str(n + 1) for n in range(len(points))) + "\n")


main(sys.argv[1] if len(sys.argv) > 1 else ".")
