"""Writes arm.vtk, the body of examples/muscle.yaml: a tapered arm of tetrahedra along x, with the direction of its
fibres per cell (none in the lower half) and a stiffness per node that ties its root to the animation."""
import math
import sys

LENGTH, THICK, THIN = 0.4, 0.035, 0.014  # [m]
ALONG, ACROSS = 14, 2

EVEN = ((0, 1, 3, 4), (2, 3, 1, 6), (5, 4, 6, 1), (7, 6, 4, 3), (1, 3, 4, 6))
MIRRORED = (1, 0, 3, 2, 5, 4, 7, 6)


def node(i, j, k):
    return (k * (ACROSS + 1) + j) * (ALONG + 1) + i


def place(i, j, k):
    """A square across becomes a disc."""
    u, v = 2 * j / ACROSS - 1, 2 * k / ACROSS - 1
    s = i / ALONG
    radius = THICK + (THIN - THICK) * s
    return (LENGTH * s, radius * u * math.sqrt(1 - v * v / 2), radius * v * math.sqrt(1 - u * u / 2))


def volume(p):
    a, b, c = ([p[m][k] - p[0][k] for k in range(3)] for m in (1, 2, 3))
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6


def main(path):
    points = [place(i, j, k) for k in range(ACROSS + 1) for j in range(ACROSS + 1) for i in range(ALONG + 1)]
    cells = []
    for k in range(ACROSS):
        for j in range(ACROSS):
            for i in range(ALONG):
                corner = [node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k), node(i, j + 1, k),
                          node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)]
                for t in EVEN:
                    cell = [corner[MIRRORED[a] if (i + j + k) % 2 else a] for a in t]
                    if volume([points[n] for n in cell]) < 0:
                        cell[2], cell[3] = cell[3], cell[2]
                    cells.append(cell)
    with open(path, "w") as out:
        out.write("# vtk DataFile Version 3.0\nan arm\nASCII\nDATASET UNSTRUCTURED_GRID\n")
        out.write(f"POINTS {len(points)} double\n")
        for p in points:
            out.write("%.6g %.6g %.6g\n" % p)
        out.write(f"CELLS {len(cells)} {5 * len(cells)}\n")
        for cell in cells:
            out.write("4 %d %d %d %d\n" % tuple(cell))
        out.write(f"CELL_TYPES {len(cells)}\n" + "10\n" * len(cells))
        out.write(f"POINT_DATA {len(points)}\nSCALARS stiffness double 1\nLOOKUP_TABLE default\n")
        for p in points:  # [N/m^4]
            out.write("%.6g\n" % (3e8 * max(0.0, 1 - p[0] / (0.2 * LENGTH)) ** 2))
        out.write(f"CELL_DATA {len(cells)}\nVECTORS fibre double\n")
        for cell in cells:
            above = sum(points[n][1] for n in cell) > 0
            out.write("1 0 0\n" if above else "0 0 0\n")


main(sys.argv[1] if len(sys.argv) > 1 else "arm.vtk")
