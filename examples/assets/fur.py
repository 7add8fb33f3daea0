#!/usr/bin/env python3
"""Writes fur.obj: short hair evenly spread over an ellipsoid, which bends back along it. For hammock.yaml."""
from math import cos, pi, sin, sqrt

CENTER = (0.0, 1.22, 0.0)
HALF = (0.28, 0.14, 0.16)  # of the ellipsoid [m]
HAIRS, VERTICES, LENGTH, LEAN = 160, 6, 0.06, 1.6


def unit(v):
    n = sqrt(sum(c * c for c in v))
    return tuple(c / n for c in v)


def hair(k):
    # Golden spiral about x: even on the sphere, nearly so on the ellipsoid.
    x, turn = 1 - (2 * k + 1) / HAIRS, k * pi * (3 - sqrt(5))
    s = sqrt(1 - x * x)
    on_sphere = (x, s * cos(turn), s * sin(turn))
    root = tuple(c + h * u for c, h, u in zip(CENTER, HALF, on_sphere))
    normal = unit(tuple(u / h for u, h in zip(on_sphere, HALF)))
    along = tuple(-normal[0] * n + (1 if i == 0 else 0) for i, n in enumerate(normal))
    points, at, step = [], root, LENGTH / (VERTICES - 1)
    for i in range(VERTICES):
        points.append(at)
        lean = LEAN * i / (VERTICES - 1)
        direction = unit(tuple(n - lean * a for n, a in zip(normal, along)))
        at = tuple(p + step * d for p, d in zip(at, direction))
    return points


with open("fur.obj", "w") as out:
    for k in range(HAIRS):
        for p in hair(k):
            out.write("v %.5f %.5f %.5f\n" % p)
        out.write("l " + " ".join(str(k * VERTICES + i + 1) for i in range(VERTICES)) + "\n")
