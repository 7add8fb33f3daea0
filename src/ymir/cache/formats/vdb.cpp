#include "ymir/cache/formats/vdb.h"

#include <fmt/format.h>

#include <fstream>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/vdb_stream.h"
#include "ymir/cache/formats/worker_process.h"

namespace ymir {

#ifdef YMIR_HAS_OPENVDB

namespace {

std::filesystem::path worker_program() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto beside = self.parent_path() / "ymir-vdb-worker";
  if (!self.empty() && std::filesystem::exists(beside, ignored)) return beside;
#ifdef YMIR_VDB_WORKER
  if (std::filesystem::exists(YMIR_VDB_WORKER, ignored)) return YMIR_VDB_WORKER;
#endif
  throw Error(ExitCode::io, beside.string() + ": not found; VDB files need this program beside ymir: build it again");
}

// Everything the worker cannot be asked: it is there, it is a plain file, it starts like a VDB.
void check_file(const std::filesystem::path& path) {
  constexpr char magic[8] = {' ', 'B', 'D', 'V', 0, 0, 0, 0};
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw Error(ExitCode::bad_input, path.string() + ": no such file; check the name");
  if (!std::filesystem::is_regular_file(status))
    throw Error(ExitCode::bad_input, path.string() + ": is not a regular file; name a VDB file");
  std::ifstream file(path, std::ios::binary);
  char start[8] = {};
  if (!file) throw Error(ExitCode::bad_input, path.string() + ": cannot be read; check the permissions");
  file.read(start, sizeof(start));
  if (!file || !std::equal(start, start + 8, magic))
    throw Error(ExitCode::bad_input, path.string() + ": byte 0: expected the mark of a VDB file; this is none");
}

std::vector<std::byte> run(const std::vector<std::string>& arguments, std::span<const std::byte> input,
                           const std::filesystem::path& path, const VdbLimits& limits) {
  // Twice: the marks and names around the values are small.
  WorkerResult result = run_worker(worker_program(), arguments, input, {2 * limits.result_bytes, limits.seconds});
  const std::string_view text(reinterpret_cast<const char*>(result.output.data()), result.output.size());
  switch (result.end) {
    case WorkerResult::End::exited:
      if (result.status == 0) return std::move(result.output);
      if (result.status == vdb_worker_refused && !text.empty())
        throw Error(ExitCode::bad_input, fmt::format("{}: {}", path.string(), text.substr(0, 1000)));
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: the VDB program failed (status {}); the file is damaged or too large", path.string(),
                              result.status));
    case WorkerResult::End::crashed:
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: OpenVDB crashed on it (signal {}); the file is damaged: export it again",
                              path.string(), result.status));
    case WorkerResult::End::timed_out:
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: OpenVDB took longer than {} s; the file is damaged or too large", path.string(),
                              limits.seconds));
    case WorkerResult::End::too_much_output:
      throw Error(ExitCode::bad_input, fmt::format("{}: unpacks to more than {} bytes; crop or coarsen it",
                                                   path.string(), limits.result_bytes));
  }
  return {};
}

}  // namespace

bool has_openvdb() { return true; }

VdbContents read_vdb(const std::filesystem::path& path, const VdbLimits& limits) {
  check_file(path);
  const std::vector<std::string> arguments{"read", path.string(), std::to_string(limits.result_bytes),
                                           std::to_string(limits.seconds)};
  return decode_vdb(run(arguments, {}, path, limits), path.string());
}

void write_vdb(const std::filesystem::path& path, const VdbContents& contents) {
  AtomicFile file(path);
  const ByteWriter bytes = encode_vdb(contents);
  VdbLimits limits;
  limits.seconds = 600;
  run({"write", file.temporary().string(), std::to_string(bytes.bytes().size()), std::to_string(limits.seconds)},
      bytes.bytes(), path, limits);
  file.commit();
}

#else

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw Error(ExitCode::bad_input,
              path.string() + ": this Ymir was built without OpenVDB; install libopenvdb-dev and build again");
}

}  // namespace

bool has_openvdb() { return false; }
VdbContents read_vdb(const std::filesystem::path& path, const VdbLimits&) { refuse(path); }
void write_vdb(const std::filesystem::path& path, const VdbContents&) { refuse(path); }

#endif

}  // namespace ymir
