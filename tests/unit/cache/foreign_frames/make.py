#!/usr/bin/python3
"""Writes the HDF5 files of this folder: one frame as Ymir writes it (good.h5), the others with one thing wrong each.
Needs python3-h5py; run again only when the format changes."""
import os

import h5py
import numpy

FOLDER = os.path.dirname(os.path.abspath(__file__))


def text(value):
    return numpy.array(value.encode(), dtype=h5py.string_dtype("utf-8", len(value)))


def frame(name, version=1, change=None, index=0, **channel):
    with h5py.File(os.path.join(FOLDER, name + ".h5"), "w", libver="latest") as f:
        f.attrs["ymir_version"] = numpy.int64(version)
        f.attrs["number"] = numpy.int64(1)
        f.attrs["time"] = numpy.float64(0.5)
        f.attrs["hash"] = numpy.uint64(2**64 - 1)
        group = f.create_group("objects/points")
        group.attrs["kind"] = text("points")
        group.attrs["ymir_name"] = text("points")
        group.attrs["ymir_index"] = numpy.int64(index)
        options = dict(shape=(5, 3), dtype="<f4", chunks=True, compression="gzip", shuffle=True, fletcher32=True)
        options.update(channel)
        data = group.create_dataset("position", **options)
        if data.size < 1e6 and data.dtype.kind in "fiu":
            data[...] = 1
        if change:
            change(f, group)


def cycle(f, group):
    group["self"] = group


def deep(f, group):
    f.create_group("objects/" + "/".join("abcdefgh" * 10))


def set_attribute(name, value):
    return lambda f, group: group.attrs.__setitem__(name, value)


frame("good")
frame("newer_version", version=2)
frame("no_version", change=lambda f, group: f.attrs.__delitem__("ymir_version"))
frame("no_objects", change=lambda f, group: f.__delitem__("objects"))
frame("no_kind", change=lambda f, group: group.attrs.__delitem__("kind"))
frame("kind_is_a_number", change=set_attribute("kind", 3))
frame("variable_length_string", change=set_attribute("note", "text"))
frame("array_attribute", change=set_attribute("note", numpy.arange(3)))
frame("wrong_index", index=1)
frame("soft_link", change=lambda f, group: group.__setitem__("velocity", h5py.SoftLink("/objects/points/position")))
frame("external_link", change=lambda f, group: group.__setitem__("velocity", h5py.ExternalLink("good.h5", "/objects")))
frame("hard_link_cycle", change=cycle)
frame("deep_groups", change=deep)
frame("three_dimensions", shape=(5, 3, 2))
frame("half_floats", dtype="<f2")
frame("claims_a_petabyte", shape=(2**45, 3))
frame("claims_more_than_stored", shape=(2**31, 3), chunks=(2**20, 3),
      change=lambda f, group: group["position"].__setitem__(0, 1))
