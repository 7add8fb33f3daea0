#include "ymir/solids/contact/contact_dump.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/fclib.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir {
namespace {

std::string beside(const RecordedContacts& recorded) {
  nlohmann::ordered_json told{{"contacts", recorded.problem.contacts()},
                              {"bodies", recorded.bodies},
                              {"matrix_seconds", recorded.matrix_seconds}};
  if (recorded.splitting) {
    const RecordedContacts::Splitting& s = *recorded.splitting;
    told["nodal"] = {{"tolerance", s.tolerance},
                     {"iterations", s.iterations},
                     {"compliance_sweeps", s.compliance_sweeps},
                     {"error", s.errors.scaled},
                     {"natural_error", s.errors.natural},
                     {"seconds", s.seconds},
                     {"status", name_of(static_cast<CoulombStatus>(s.status))}};
  }
  return told.dump(2) + "\n";
}

}  // namespace

void write_coulomb_problem(const std::filesystem::path& path, const CoulombProblem& problem,
                           const std::vector<Vec3d>& r) {
  FclibProblem file;
  file.w.rows = file.w.columns = 3 * problem.contacts();
  for (std::int32_t i = 0; i < problem.contacts(); ++i)
    for (int a = 0; a < 3; ++a)
      for (std::int64_t k = problem.starts[i]; k < problem.starts[i + 1]; ++k)
        for (int b = 0; b < 3; ++b) {
          file.w.row.push_back(3 * i + a);
          file.w.column.push_back(3 * problem.columns[k] + b);
          file.w.value.push_back(problem.blocks[k](a, b));
        }
  const std::vector<Vec3d> u = problem.velocities(r);
  std::vector<Vec3d> apex(r.size(), Vec3d{0, 0, 0});
  for (std::size_t i = 0; i < problem.adhesion.size(); ++i) apex[i].x = problem.adhesion[i];
  const std::vector<Vec3d> pulled = problem.velocities(apex);  // W c e_N + q
  for (std::size_t i = 0; i < r.size(); ++i)
    for (int a = 0; a < 3; ++a) {
      file.q.push_back(2 * problem.q[i][a] - pulled[i][a]);
      file.r.push_back(r[i][a] + apex[i][a]);
      file.u.push_back(u[i][a]);
    }
  file.mu = problem.mu;
  write_fclib(path, file, path.stem().string());
}

ContactDump::ContactDump(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code failure;
  std::filesystem::create_directories(folder_, failure);
  if (failure || !std::filesystem::is_directory(folder_, failure))
    throw Error(ExitCode::io, fmt::format("--dump-contacts {}: the folder cannot be made{}; choose another",
                                          folder_.string(), failure ? ": " + failure.message() : std::string()));
  if (!std::filesystem::is_empty(folder_, failure))
    throw Error(ExitCode::usage,
                fmt::format("--dump-contacts {}: there are files in it; choose an empty folder", folder_.string()));
}

void ContactDump::write(const RecordedContacts& recorded) {
  const std::string name = fmt::format("contacts_{:06}", ++written_);
  AtomicFile file(folder_ / (name + ".json"));
  file.write(beside(recorded));
  file.commit();
  write_coulomb_problem(folder_ / (name + ".hdf5"), recorded.problem, recorded.r);
}

}  // namespace ymir
