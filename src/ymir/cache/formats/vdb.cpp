#include "ymir/cache/formats/vdb.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ymir/base/error.h"
#include "ymir/cache/atomic_file.h"
#include "ymir/cache/formats/vdb_stream.h"
#include "ymir/cache/formats/worker_process.h"

namespace ymir {

#ifdef YMIR_HAS_OPENVDB

namespace {

constexpr int worker_unconfined = 126;

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

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Everything the worker cannot be asked: it is a plain file, it starts like a VDB. Returns its size.
std::uint64_t check_file(const OpenFile& file, const std::filesystem::path& path) {
  constexpr char magic[8] = {' ', 'B', 'D', 'V', 0, 0, 0, 0};
  if (file.descriptor() < 0 && errno == ENOENT)
    throw Error(ExitCode::bad_input, path.string() + ": no such file; check the name");
  if (file.descriptor() < 0)
    throw Error(ExitCode::bad_input, path.string() + ": cannot be read; check the permissions");
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode))
    throw Error(ExitCode::bad_input, path.string() + ": is not a regular file; name a VDB file");
  char start[8] = {};
  if (::pread(file.descriptor(), start, sizeof(start), 0) != sizeof(start) || !std::equal(start, start + 8, magic))
    throw Error(ExitCode::bad_input, path.string() + ": byte 0: expected the mark of a VDB file; this is none");
  return static_cast<std::uint64_t>(status.st_size);
}

constexpr std::uint64_t own_bytes = std::uint64_t{768} << 20;  // libraries, stack, OpenVDB's tables, small files

// The tree, its copy as contents and the encoded bytes while they grow.
std::uint64_t memory_for(std::uint64_t unpacked_bytes) { return own_bytes + 6 * unpacked_bytes; }

// Volumes unpack to about twenty times their file at most; a small file that asks for gigabytes is damaged or hostile.
std::uint64_t memory_to_read(std::uint64_t file_bytes, const VdbLimits& limits) {
  constexpr std::uint64_t ratio = 20;
  return memory_for(std::min(limits.result_bytes, ratio * file_bytes));
}

std::vector<std::byte> run(const std::vector<std::string>& arguments, std::span<const std::byte> input,
                           const OpenFile& file, const std::filesystem::path& path, const VdbLimits& limits) {
  // Twice: the marks and names around the values are small.
  WorkerResult result =
      run_worker(worker_program(), arguments, input, {2 * limits.result_bytes, limits.seconds}, file.descriptor());
  const std::string_view text(reinterpret_cast<const char*>(result.output.data()), result.output.size());
  switch (result.end) {
    case WorkerResult::End::exited:
      if (result.status == 0) return std::move(result.output);
      if (result.status == vdb_worker_refused && !text.empty())
        throw Error(ExitCode::bad_input, fmt::format("{}: {}", path.string(), text.substr(0, 1000)));
      if (result.status == worker_unconfined)
        throw Error(ExitCode::io, path.string() +
                                      ": the VDB program cannot confine itself here (seccomp is refused); "
                                      "read the file where that is allowed");
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

bool vdb_worker_is_filtered() {
#ifdef YMIR_HAS_SECCOMP
  return true;
#else
  return false;
#endif
}

VdbContents read_vdb(const std::filesystem::path& path, const VdbLimits& limits) {
  const OpenFile file(path, O_RDONLY | O_NONBLOCK);  // a FIFO must not make us wait for its writer
  const std::uint64_t bytes = check_file(file, path);
  const std::vector<std::string> arguments{"read", std::to_string(limits.result_bytes),
                                           std::to_string(memory_to_read(bytes, limits)),
                                           std::to_string(limits.seconds)};
  return decode_vdb(run(arguments, {}, file, path, limits), path.string());
}

void write_vdb(const std::filesystem::path& path, const VdbContents& contents) {
  AtomicFile target(path);
  const ByteWriter bytes = encode_vdb(contents);
  VdbLimits limits;
  limits.seconds = 600;
  const OpenFile file(target.temporary(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (file.descriptor() < 0) fail_io(path, "cannot be written", errno);
  run({"write", std::to_string(bytes.bytes().size()), std::to_string(memory_for(bytes.bytes().size())),
       std::to_string(limits.seconds)},
      bytes.bytes(), file, path, limits);
  target.commit();
}

#else

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw Error(ExitCode::bad_input,
              path.string() + ": this Ymir was built without OpenVDB; install libopenvdb-dev and build again");
}

}  // namespace

bool has_openvdb() { return false; }
bool vdb_worker_is_filtered() { return false; }
VdbContents read_vdb(const std::filesystem::path& path, const VdbLimits&) { refuse(path); }
void write_vdb(const std::filesystem::path& path, const VdbContents&) { refuse(path); }

#endif

}  // namespace ymir
