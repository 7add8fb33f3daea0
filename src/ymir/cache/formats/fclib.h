// Frictional contact problems in FCLIB's HDF5 layout [Acary2014]:
//
//   /fclib_local    spacedim, W, vectors/{q, mu}           u = W r + q
//   /fclib_global   spacedim, M, H, vectors/{f, w, mu}     M v = H r + f,  u = H' v + w
//
// components per contact (normal, tangent, tangent). A matrix is {m, n, nz, p, i, x}: nz >= 0 triplets (i row, p
// column), -1 compressed columns, -2 compressed rows. Equality constraints (G, V, R, s, b) are refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ymir {

struct FclibMatrix {
  std::int32_t rows = 0, columns = 0;
  std::vector<std::int32_t> row, column;  // by rows, columns ascending; entries at one place are added
  std::vector<double> value;
};

struct FclibProblem {
  bool global = false;
  FclibMatrix w;                  // local
  std::vector<double> q;          // local
  FclibMatrix m, h;               // global
  std::vector<double> f, offset;  // global: f and w
  std::vector<double> mu;
  std::vector<double> r, u;  // a solution to be written beside; empty: none

  std::int32_t contacts() const { return static_cast<std::int32_t>(mu.size()); }
};

// Error(bad_input) naming the file, the array and the remedy.
FclibProblem read_fclib(const std::filesystem::path& path);
FclibProblem read_fclib(std::span<const std::byte> bytes, const std::string& name);
// A local problem, W by compressed rows; all or nothing.
void write_fclib(const std::filesystem::path& path, const FclibProblem& problem, const std::string& title);
std::vector<std::byte> encode_fclib(const FclibProblem& problem, const std::string& title);

}  // namespace ymir
