#!/usr/bin/env python3
"""A groom from elsewhere on a body that deforms: fits a head to its roots, writes that head as a sequence of OBJ files,
doubles the hairs until there are enough, simulates guides that carry them all, and measures what came out.

  film.py build/ymir straight.hair --scale 0.0035 --up z --out out/foreign

Needs python3-numpy and python3-h5py. Prints the largest change of a hair's length and the deepest vertex of any frame.
"""
import argparse
import os
import struct
import subprocess
import sys

import h5py
import numpy as np

FPS = 24
DEGREE = 8  # of the polynomials in the direction that describe the head


def read_groom(file):
    """Strands of equal vertex count, as an array (strands, vertices, 3)."""
    with open(file, "rb") as stream:
        data = stream.read()
    if data[:4] == b"HAIR":
        strands, points, flags, segments = struct.unpack("<IIII", data[4:20])
        offset = 128
        if flags & 1:
            counts = np.frombuffer(data, "<u2", strands, offset) + 1
            offset += 2 * strands
        else:
            counts = np.full(strands, segments + 1)
        x = np.frombuffer(data, "<f4", 3 * points, offset).reshape(-1, 3)
        pieces = np.split(x, np.cumsum(counts)[:-1])
    else:
        (strands,), offset, pieces = struct.unpack("<I", data[:4]), 4, []
        for _ in range(strands):
            (n,) = struct.unpack("<I", data[offset:offset + 4])
            pieces.append(np.frombuffer(data, "<f4", 3 * n, offset + 4).reshape(n, 3))
            offset += 4 + 12 * n
    vertices = max(len(p) for p in pieces)
    kept = [p for p in pieces if len(p) == vertices and np.linalg.norm(np.diff(p, axis=0), axis=1).min() > 0]
    return np.array(kept, dtype=float)


def write_groom(file, x):
    strands, vertices, _ = x.shape
    head = struct.pack("<4sIIIIff3f88s", b"HAIR", strands, strands * vertices, 2, vertices - 1, 1e-4, 0.0, 0.4, 0.25, 0.15,
                       b"")
    with open(file, "wb") as stream:
        stream.write(head + x.astype("<f4").tobytes())


def denser(x, strands, dice):
    """More hairs, each beside one that is there: moved towards a neighbour's root, its shape kept."""
    while len(x) < strands:
        roots = x[:, 0]
        chosen = dice.permutation(len(x))[:strands - len(x)]
        apart = np.linalg.norm(roots[chosen, None] - roots[None], axis=2)
        apart[np.arange(len(chosen)), chosen] = np.inf
        near = np.argmin(apart, axis=1)
        x = np.concatenate([x, x[chosen] + 0.5 * (roots[near] - roots[chosen])[:, None]])
    return x[:strands]


class Head:
    """Star-shaped about a point: the radius is a polynomial in the direction, fitted to the roots and, where there are
    none, drawn to a ball. It turns about the vertical and leans, more at the top than at the bottom, heights unchanged:
    where a point came from is known exactly."""

    def __init__(self, roots):
        # The ball nearest to the roots: |x|^2 = 2 c.x + (r^2 - |c|^2).
        ball = np.linalg.lstsq(np.column_stack([2 * roots, np.ones(len(roots))]), (roots**2).sum(axis=1), rcond=None)[0]
        self.center = ball[:3]
        away = roots - self.center
        radius = np.linalg.norm(away, axis=1)
        self.ball = 0.95 * np.sqrt(ball[3] + ball[:3] @ ball[:3])
        around = self.directions(40)
        bare = around[np.max(around @ (away / radius[:, None]).T, axis=1) < np.cos(np.radians(12))]
        directions = np.concatenate([away / radius[:, None], bare])
        wanted = np.concatenate([radius, np.full(len(bare), self.ball)])
        weight = np.concatenate([np.full(len(roots), 1.0), np.full(len(bare), 0.1 * len(roots) / max(1, len(bare)))])
        terms = self.terms(directions)
        normal = terms.T @ (weight[:, None] * terms) + 1e-6 * len(roots) * np.eye(terms.shape[1])
        self.fit = np.linalg.solve(normal, terms.T @ (weight * (wanted - self.ball)))
        self.misfit = np.abs(self.radius(away / radius[:, None]) - radius)

    @staticmethod
    def directions(rows):
        v = np.pi * np.arange(1, rows) / rows
        u = np.pi * np.arange(2 * rows) / rows
        v, u = np.meshgrid(v, u, indexing="ij")
        ring = np.stack([np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u)], axis=-1).reshape(-1, 3)
        return np.concatenate([ring, [[0, 1, 0], [0, -1, 0]]])

    @staticmethod
    def terms(d):
        powers = [(i, j, k) for i in range(DEGREE + 1) for j in range(DEGREE + 1 - i) for k in (0, 1)
                  if i + j + k <= DEGREE]
        return np.stack([d[:, 0]**i * d[:, 1]**j * d[:, 2]**k for i, j, k in powers], axis=1)

    def radius(self, d):
        return self.ball + self.terms(d) @ self.fit

    def pose(self, time):
        """(turn [rad], lean [m] along x and z) of the top."""
        grow = np.sin(np.pi * min(1.0, time / 0.5) / 2)**2
        return (grow * 0.7 * np.sin(2.2 * time), grow * 0.05 * np.sin(3.0 * time), grow * 0.06 * np.sin(2.0 * time + 0.5))

    def share(self, y):
        return 1 / (1 + np.exp(-3 * (y - self.center[1]) / self.ball))

    def deform(self, x, time, back=False):
        turn, lean_x, lean_z = self.pose(time)
        s = self.share(x[:, 1])
        out, angle = x - self.center, turn * s
        lean = np.stack([lean_x * s, 0 * s, lean_z * s], axis=1)
        if back:
            out, angle = out - lean, -angle
        c, d = np.cos(angle), np.sin(angle)
        out = np.stack([c * out[:, 0] + d * out[:, 2], out[:, 1], c * out[:, 2] - d * out[:, 0]], axis=1)
        return out + self.center + (0 if back else lean)

    def depth(self, x, time):
        """How far inside a point is [m]: the level function over its gradient."""
        def level(p):
            y = self.deform(p, time, back=True) - self.center
            r = np.linalg.norm(y, axis=1)
            return self.radius(y / r[:, None]) - r
        inside = level(x)
        near = np.nonzero(inside > 0)[0]
        if not len(near):
            return 0.0, 0
        e = 1e-6
        slope = np.stack([(level(x[near] + e * axis) - level(x[near] - e * axis)) / (2 * e) for axis in np.eye(3)],
                         axis=1)
        depths = inside[near] / np.linalg.norm(slope, axis=1)
        return depths.max(), int((depths > 1e-3).sum())

    def write(self, folder, frames):
        rows = 90
        d = self.directions(rows)
        rest = self.center + self.radius(d)[:, None] * d
        around, ring = 2 * rows, lambda i, j: i * 2 * rows + j % (2 * rows) + 1
        top, bottom = len(d) - 1, len(d)
        faces = []
        for j in range(around):
            faces.append((top, ring(0, j + 1), ring(0, j)))
            faces.append((bottom, ring(rows - 2, j), ring(rows - 2, j + 1)))
            for i in range(rows - 2):
                faces.append((ring(i, j), ring(i, j + 1), ring(i + 1, j)))
                faces.append((ring(i, j + 1), ring(i + 1, j + 1), ring(i + 1, j)))
        tail = "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
        for frame in range(frames + 1):
            with open(os.path.join(folder, f"head.{frame:04d}.obj"), "w", encoding="ascii") as file:
                x = self.deform(rest, frame / FPS)
                file.write("".join(f"v {p[0]:.9g} {p[1]:.9g} {p[2]:.9g}\n" for p in x) + tail)


SETUP = """ymir: 1
time: {{frames: [1, {frames}], fps: {fps}, substeps: 4}}
inputs:
  all_hairs: {{curves: all.hair}}
  hair: {{guides: {{of: all_hairs, count: {guides}}}}}
  head: {{surface: "head.####.obj"}}
setup:
  - gravity
  - collider: {{shape: mesh, surface: head, friction: 0.3}}
  - group: Hair
    with:
      - curves_object: {{curves: hair, radius: 50 um, density: 1.3 g/cm^3}}
      - elastic_rod: {{youngs_modulus: 3.5 GPa, relaxation_time: 2 ms}}
      - attachment: {{surface: head}}
outputs: {{cache: cache, hairs: {{groom: all_hairs}}, preview: {{every: 4, width: 640, height: 512}}}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ymir")
    parser.add_argument("groom", help=".hair or .data")
    parser.add_argument("--scale", type=float, default=0.01, help="metres of one unit of the file")
    parser.add_argument("--up", choices="yz", default="y")
    parser.add_argument("--out", default="out/foreign_groom")
    parser.add_argument("--hairs", type=int, default=20000)
    parser.add_argument("--guides", type=int, default=600)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--measure", action="store_true", help="only measure the frames that are there")
    arguments = parser.parse_args()
    x = read_groom(arguments.groom) * arguments.scale
    if arguments.up == "z":
        x = np.stack([x[..., 0], x[..., 2], -x[..., 1]], axis=-1)
    head = Head(x[:, 0])
    print(f"{len(x)} hairs read; head of radius {head.ball:.3f} m, roots {1e3 * np.median(head.misfit):.2f} mm from it in the "
          f"median, {1e3 * head.misfit.max():.2f} at most")
    x = denser(x, arguments.hairs, np.random.default_rng(1))
    os.makedirs(arguments.out, exist_ok=True)
    if not arguments.measure:
        write_groom(os.path.join(arguments.out, "all.hair"), x)
        head.write(arguments.out, arguments.frames)
        setup = os.path.join(arguments.out, "setup.yaml")
        with open(setup, "w", encoding="ascii") as file:
            file.write(SETUP.format(frames=arguments.frames, fps=FPS, guides=arguments.guides))
        subprocess.run([arguments.ymir, "run", setup, "--out", os.path.join(arguments.out, "cache"), "--force-restart"],
                       check=True)
    rest = np.linalg.norm(np.diff(x.astype("f4").astype(float), axis=1), axis=2).sum(axis=1)
    worst_length = worst_depth = deep = moved = 0.0
    before = None
    for frame in range(1, arguments.frames + 1):
        with h5py.File(os.path.join(arguments.out, "cache", f"frame_{frame:06d}.h5")) as file:
            p = np.array(file["objects/Hair/hairs/position"]).reshape(x.shape)
        length = np.linalg.norm(np.diff(p, axis=1), axis=2).sum(axis=1)
        worst_length = max(worst_length, np.abs(length / rest - 1).max())
        depth, count = head.depth(p.reshape(-1, 3), frame / FPS)
        worst_depth, deep = max(worst_depth, depth), max(deep, count)
        moved = max(moved, np.linalg.norm(p - (x if before is None else before), axis=2).max() * FPS)
        before = p
    print(f"{len(x)} hairs, {arguments.frames} frames: lengths within {100 * worst_length:.2g} %, deepest vertex "
          f"{1e3 * worst_depth:.3f} mm, at most {deep:.0f} of {x.shape[0] * x.shape[1]} vertices of a frame deeper than 1 mm, "
          f"fastest vertex {moved:.2f} m/s")
    sys.exit(0 if worst_length < 1e-3 and deep == 0 else 1)


if __name__ == "__main__":
    main()
