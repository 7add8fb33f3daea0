"""Each rule of check.py catches its breach and lets its neighbour pass."""

import tempfile
import unittest
from pathlib import Path

from check import check


class Layering(unittest.TestCase):
    def breaches(self, **files):
        """files: path with __ for / and the last _ for the dot = text."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in files.items():
                stem, _, suffix = name.replace("__", "/").rpartition("_")
                path = root / f"{stem}.{suffix}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(root)

    def assert_breach(self, expected, **files):
        found = self.breaches(**files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])

    def test_includes_point_downwards(self):
        downwards = '#include "ymir/data/b.h"\n#include "ymir/cache/c.h"\n'
        self.assertEqual(self.breaches(src__ymir__cache__a_h=downwards), [])
        self.assert_breach("a.h:2: data must not include cache",
                           src__ymir__data__a_h='#pragma once\n  #  include "ymir/cache/c.h"\n')

    def test_physics_reaches_only_mathematics(self):
        self.assertEqual(self.breaches(src__ymir__physics__a_h='#include "ymir/math/vec3.h"\n'), [])
        self.assert_breach("physics must not include parallel",
                           src__ymir__physics__rods__a_h='#include "ymir/parallel/threads.h"\n')
        self.assert_breach("OpenMP in physics/", src__ymir__physics__a_cpp="#include <omp.h>\n")
        self.assert_breach("OpenMP in physics/", src__ymir__physics__a_cpp="#pragma omp parallel for\n")
        self.assertEqual(self.breaches(src__ymir__physics__a_cpp="#pragma omp simd\n"), [])
        self.assert_breach("MPI outside parallel/", src__ymir__physics__a_cpp="#include <mpi.h>\n")

    def test_every_source_is_in_a_known_module(self):
        self.assert_breach("not in a module", src__ymir__utils__a_h="")
        self.assert_breach("not in a module", src__ymir__a_h="")

    def test_yaml_stays_in_setup(self):
        self.assertEqual(self.breaches(src__ymir__setup__a_cpp="#include <yaml-cpp/parser.h>\n"), [])
        self.assert_breach("yaml-cpp outside setup/", src__ymir__pipeline__a_cpp="#include <yaml-cpp/yaml.h>\n")

    def test_a_heavy_library_has_one_source_file(self):
        include = "#include <hdf5.h>\n"
        self.assertEqual(self.breaches(src__ymir__cache__a_cpp=include, hosts__cli__b_cpp=include), [])
        self.assert_breach("HDF5 in 2 source files", src__ymir__cache__a_cpp=include, src__ymir__cache__b_cpp=include)
        for header in ("openvdb/openvdb.h", "CLI/CLI.hpp", "embree3/rtcore.h", "png.h"):
            text = f"#include <{header}>\n"
            self.assertEqual(len(self.breaches(src__ymir__cache__a_cpp=text, src__ymir__cache__b_cpp=text)), 1, header)

    def test_heavy_libraries_stay_out_of_headers(self):
        self.assert_breach("HDF5 in a header", src__ymir__cache__a_h="#include <hdf5.h>\n")
        self.assert_breach("nlohmann json in a header", src__ymir__cache__a_h="#include <nlohmann/json.hpp>\n")
        self.assertEqual(self.breaches(src__ymir__cache__a_h="#include <nlohmann/json_fwd.hpp>\n"), [])

    def test_files_stay_readable(self):
        self.assertEqual(self.breaches(src__ymir__base__a_h="\n" * 400, src__ymir__base__a_cpp="\n" * 900), [])
        self.assert_breach("401 lines", src__ymir__base__a_h="\n" * 401)
        self.assert_breach("901 lines", tests__unit__base__a_cpp="\n" * 901)

    def test_no_path_of_one_machine(self):
        self.assert_breach("a path of one machine", docs__a_md="see " + "/" + "home/somebody/ymir\n")
        self.assertEqual(self.breaches(docs__a_md="https://example.org/home/page, ../work/x, Hair/root/tip\n"), [])

    def test_build_folders_are_not_searched(self):
        self.assertEqual(self.breaches(build__src_h="\n" * 401), [])


if __name__ == "__main__":
    unittest.main()
