#include "ymir/cache/frame_file.h"

#include <array>
#include <bit>
#include <cstring>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/file_bytes.h"
#include "ymir/cache/frame_image.h"

namespace ymir {
namespace {

static_assert(std::endian::native == std::endian::little, "the seal is written as the machine stores it");

struct Seal {
  std::array<char, 8> magic{'y', 'm', 'i', 'r', 's', 'e', 'a', 'l'};
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
  friend bool operator==(const Seal&, const Seal&) = default;
};
static_assert(sizeof(Seal) == 24);

Seal seal_of(std::span<const std::byte> image) { return {.bytes = image.size(), .checksum = hash_bytes(image)}; }

FileStamp stamp_of(std::span<const std::byte> file) { return {file.size(), hash_bytes(file)}; }

std::optional<std::string> mismatch(const FileStamp& actual, const FileStamp& expected) {
  if (actual.bytes != expected.bytes)
    return "has " + std::to_string(actual.bytes) + " bytes instead of " + std::to_string(expected.bytes);
  if (actual.checksum != expected.checksum) return "damaged: its checksum is not that of the manifest";
  return std::nullopt;
}

Frame decode_file(std::span<const std::byte> file, const std::filesystem::path& path) {
  const auto refuse = [&](const char* what) { throw Error(ExitCode::io, path.string() + ": " + what); };
  Seal seal;
  if (file.size() < sizeof seal) refuse("not a Ymir frame, or truncated");
  const auto image = file.first(file.size() - sizeof seal);
  std::memcpy(&seal, file.data() + image.size(), sizeof seal);
  if (seal.magic != Seal{}.magic) refuse("not a Ymir frame, or truncated");
  if (seal != seal_of(image)) refuse("damaged: its checksum does not match");
  return decode_frame(image, path.string());
}

}  // namespace

EncodedFrame::EncodedFrame(const Frame& frame) : file_(encode_frame(frame)) {
  const Seal seal = seal_of(file_);
  const auto tail = std::as_bytes(std::span(&seal, 1));
  file_.insert(file_.end(), tail.begin(), tail.end());
  stamp_ = stamp_of(file_);
}

void EncodedFrame::write(const std::filesystem::path& path) const {
  AtomicFile out(path);
  out.write(file_);
  out.commit();
}

FileStamp write_frame_file(const std::filesystem::path& path, const Frame& frame) {
  const EncodedFrame encoded(frame);
  encoded.write(path);
  return encoded.stamp();
}

Frame read_frame_file(const std::filesystem::path& path) { return decode_file(read_file_bytes(path), path); }

Frame read_frame_file(const std::filesystem::path& path, const FileStamp& expected) {
  const Bytes file = read_file_bytes(path);
  if (const auto wrong = mismatch(stamp_of(file), expected)) throw Error(ExitCode::io, path.string() + ": " + *wrong);
  return decode_file(file, path);
}

FileStamp stamp_of_file(const std::filesystem::path& path) { return stamp_of(read_file_bytes(path)); }

std::optional<std::string> problem_with_file(const std::filesystem::path& path, const FileStamp& expected) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return "missing";
  try {
    return mismatch(stamp_of(read_file_bytes(path)), expected);
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace ymir
