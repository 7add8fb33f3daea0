// Scratch space on the disk of a file being written, for output that must be put in another order. It has no name, so
// nothing is left behind however the program ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace ymir {

class SpoolFile {
 public:
  struct Extent {
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };

  explicit SpoolFile(std::filesystem::path beside);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  Extent append(std::string_view text);
  // Hands the text back in parts of at most a few MB.
  void copy(Extent extent, const std::function<void(std::string_view)>& sink) const;

 private:
  std::filesystem::path beside_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace ymir
