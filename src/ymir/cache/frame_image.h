// Frame <-> HDF5 file image in memory. HDF5 stays behind frame_image.cpp.
//
//   /                      attributes ymir_version, number, time [s], hash, and the frame's own
//   /objects/<name>        one group per object; '/' in a name nests groups; attributes kind, ymir_name, ymir_index,
//                          and the object's own
//   /objects/<name>/<ch>   one dataset per channel, (count) or (count, components); attributes place (data/place.h)
//   and,
//                          where there is one, unit
//
// Where a channel would take the place of a group ("A" has channel "B", and there is an object "A/B"), or a name cannot
// be an HDF5 link, the link gets a trailing '_' and the attribute ymir_name holds the name as it was.
#pragma once

#include <span>
#include <string>

#include "ymir/data/frame.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

// The same frame gives the same bytes: no dates, no uninitialised gaps.
Bytes encode_frame(const Frame& frame);

// Every type, shape and count is checked before it is allocated; whatever does not fit is an Error(io) that begins with
// `label` (the file's name). HDF5 itself does not withstand forged files, so verify a checksum first (frame_file.h).
Frame decode_frame(std::span<const std::byte> image, const std::string& label);

}  // namespace ymir
