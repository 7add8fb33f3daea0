// A file that appears under its final name whole or not at all: written to a temporary name in the same folder,
// synced, renamed, folder synced. A writer killed half-way leaves at most a `NAME.PID-N.tmp`, never a broken NAME.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace ymir {

// Error(io) "path: doing: system's reason; remedy".
[[noreturn]] void fail_io(const std::filesystem::path& path, const char* doing, int error);

// Makes what was renamed in a folder survive a power loss; Error(io) when that fails.
void sync_folder(const std::filesystem::path& folder);

class AtomicFile {
 public:
  // Creates the temporary file. Every failure below is an Error(io) that names the final file, the system's reason and
  // a remedy, and removes the temporary.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  // removes the temporary unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  // The last call: flush, sync, rename, sync the folder.
  void commit();

  const std::filesystem::path& path() const { return path_; }
  // A library that writes by name (HDF5) may fill this file itself instead of write(); commit() syncs it all the same.
  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  void flush();
  void discard() noexcept;
  [[noreturn]] void fail(const char* doing, int error);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
  std::vector<std::byte> buffer_;
};

}  // namespace ymir
