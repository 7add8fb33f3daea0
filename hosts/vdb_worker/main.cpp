// ymir-vdb-worker: reads or writes one VDB file for ymir, so that a hostile file harms nothing but this process.
//
//   ymir-vdb-worker read LIMIT_BYTES MEMORY_BYTES SECONDS     contents on standard output
//   ymir-vdb-worker write INPUT_BYTES MEMORY_BYTES SECONDS    contents on standard input
//
// Descriptor 3 is the file, opened by ymir: this program opens nothing (confinement.h).
// Exit status 0: done. 1: the message is on standard output. 126: it could not confine itself. Else: it crashed.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "confinement.h"
#include "vdb_io.h"
#include "ymir/base/error.h"
#include "ymir/cache/formats/vdb_stream.h"

namespace {

bool send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

std::vector<std::byte> receive(std::size_t expected) {
  std::vector<std::byte> bytes(expected);
  std::size_t done = 0;
  while (done < expected) {
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + done, expected - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw ymir::Error(ymir::ExitCode::io, "the data to write did not arrive; try again");
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

int refuse(std::string_view message) {
  send(std::as_bytes(std::span(message.data(), message.size())));
  return ymir::vdb_worker_refused;
}

int work(int count, char** words) {
  const std::string_view mode = count == 5 ? words[1] : "";
  if (mode != "read" && mode != "write") return refuse("usage: ymir-vdb-worker read|write BYTES MEMORY_BYTES SECONDS");
  const std::uint64_t bytes = std::strtoull(words[2], nullptr, 10);
  ymir::start_openvdb();
  ymir::confine({.memory_bytes = std::strtoull(words[3], nullptr, 10),
                 .cpu_seconds = std::strtoull(words[4], nullptr, 10),
                 .descriptors = ymir::vdb_worker_file + 1,
                 .writes_files = mode == "write"});
  try {
    if (mode == "read") return send(ymir::encode_vdb(ymir::load_vdb(ymir::vdb_worker_file, bytes)).bytes()) ? 0 : 2;
    ymir::save_vdb(ymir::vdb_worker_file, ymir::decode_vdb(receive(bytes), "contents"));
    return 0;
  } catch (const std::bad_alloc&) {
    return refuse(ymir::vdb_worker_out_of_memory);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}

}  // namespace

// Without the farewells of libraries: they would ask for what a confined process is refused.
int main(int count, char** words) { _exit(work(count, words)); }
