// Value clips of USD: a layer per frame, and the metadata that gathers them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ymir {

class UsdaClips {
 public:
  // `root`: the file that gathers the clips; they lie beside it.
  explicit UsdaClips(std::filesystem::path root) : root_(std::move(root)) {}

  std::filesystem::path file_of(std::int64_t frame) const;  // shot.0001.usda
  std::filesystem::path manifest_file() const;              // shot.manifest.usda: which attributes the clips have
  void add(std::int64_t frame) { frames_.push_back(frame); }
  // In parentheses, behind the prim that holds all others.
  std::string metadata() const;

 private:
  std::filesystem::path root_;
  std::vector<std::int64_t> frames_;
};

}  // namespace ymir
