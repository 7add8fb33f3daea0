// The one-step problems of a run as FCLIB files, for `ymir contact solve` and the solvers of others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "ymir/solvers/coulomb/coulomb_problem.h"

namespace ymir {

// The problem and a solution beside it. FCLIB has no adhesion: r + c e_N stands in the place of r then, and q less W c
// e_N in that of q, which is the same problem.
void write_coulomb_problem(const std::filesystem::path& path, const CoulombProblem& problem,
                           const std::vector<Vec3d>& r);

class ContactDump {
 public:
  // A folder without problems in it; it is made. Error(io, usage) with the option to change.
  explicit ContactDump(std::filesystem::path folder);
  // In the order of writing: contacts_000001.hdf5, ...
  void write(const CoulombProblem& problem, const std::vector<Vec3d>& r);
  void pass() { ++written_; }  // another rank writes it

 private:
  std::filesystem::path folder_;
  std::int64_t written_ = 0;
};

}  // namespace ymir
