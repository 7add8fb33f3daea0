// The one-step problems of a run as FCLIB files, for `ymir contact solve` and the solvers of others. Beside each stands
// what such a file cannot hold: what its matrix took to be made, and how the splitting at nodes, which needs bodies and
// no such matrix, solves the same problem.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "ymir/solvers/coulomb/coulomb_problem.h"
#include "ymir/solvers/nodal_contact/contact_progress.h"

namespace ymir {

// The problem and a solution beside it. FCLIB has no adhesion: r + c e_N stands in the place of r then, and q less W c
// e_N in that of q, which is the same problem.
void write_coulomb_problem(const std::filesystem::path& path, const CoulombProblem& problem,
                           const std::vector<Vec3d>& r);

// The problem of an island of bodies.
struct RecordedContacts {
  CoulombProblem problem;
  std::vector<Vec3d> r;  // as solved
  std::size_t bodies = 0;
  double matrix_seconds = 0;  // W and q
  // From rest to `tolerance`; its error is that of the problem, which other solvers are judged by, too.
  struct Splitting {
    double tolerance = 1e-6;
    ContactStatus status = ContactStatus::failed;
    int iterations = 0, compliance_sweeps = 0;
    double seconds = 0;
    CoulombErrors errors;
  };
  std::optional<Splitting> splitting;  // none where there is cloth
};

class ContactDump {
 public:
  // A folder without problems in it; it is made. Error(io, usage) with the option to change.
  explicit ContactDump(std::filesystem::path folder);
  // In the order of writing: contacts_000001.hdf5 and .json, ...
  void write(const RecordedContacts& recorded);
  void pass() { ++written_; }  // another rank writes it

 private:
  std::filesystem::path folder_;
  std::int64_t written_ = 0;
};

}  // namespace ymir
