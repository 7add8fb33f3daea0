// One frame or checkpoint in one file: an HDF5 image (frame_image.h) followed by a seal of 24 bytes,
// "ymirseal", bytes of the image, checksum of the image (both u64, little-endian). HDF5 readers ignore what follows the
// image. The seal is verified before HDF5 sees a byte, so a damaged file is reported and never parsed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "ymir/data/frame.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

// Size and checksum of a whole file, as the manifest lists them.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// The bytes of a frame's file, before they are written: to compare them with a file that is there.
class EncodedFrame {
 public:
  explicit EncodedFrame(const Frame& frame);
  const FileStamp& stamp() const { return stamp_; }
  void write(const std::filesystem::path& path) const;  // as write_frame_file

 private:
  Bytes file_;
  FileStamp stamp_;
};

// Whole or not at all (atomic_file.h); Error(io) when the disk is full.
FileStamp write_frame_file(const std::filesystem::path& path, const Frame& frame);

// Error(io) naming the file when it is missing, damaged or no frame file; against `expected` it must be that very file.
Frame read_frame_file(const std::filesystem::path& path);
Frame read_frame_file(const std::filesystem::path& path, const FileStamp& expected);

FileStamp stamp_of_file(const std::filesystem::path& path);  // Error(io) when it cannot be read
// What is wrong with a file that should have this stamp, without decoding it; empty when nothing is.
std::optional<std::string> problem_with_file(const std::filesystem::path& path, const FileStamp& expected);

}  // namespace ymir
