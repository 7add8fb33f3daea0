// ymir-vdb-worker: reads or writes one VDB file for ymir, so that a hostile file harms nothing but this process.
//
//   ymir-vdb-worker read FILE LIMIT_BYTES SECONDS     contents on standard output
//   ymir-vdb-worker write FILE INPUT_BYTES SECONDS    contents on standard input
//
// Exit status 0: done. 1: the message is on standard output. Anything else: it crashed.
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "vdb_io.h"
#include "ymir/base/error.h"
#include "ymir/cache/formats/vdb_stream.h"

namespace {

constexpr std::uint64_t own_bytes = std::uint64_t{2} << 30;  // libraries, stacks and OpenVDB's tables

void limit(int resource, std::uint64_t value) {
  const rlimit bound{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &bound);
}

void confine(std::uint64_t payload_bytes, std::uint64_t seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_range(3, ~0u, 0);  // nothing of the parent is within reach
  mallopt(M_ARENA_MAX, 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds);
#ifndef __SANITIZE_ADDRESS__
  // The tree, its copy as contents and the encoded bytes while they grow.
  limit(RLIMIT_AS, own_bytes + 6 * payload_bytes);
#endif
}

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

}  // namespace

int main(int count, char** words) {
  if (count != 5) return refuse("usage: ymir-vdb-worker read|write FILE BYTES SECONDS");
  const std::string_view mode = words[1];
  const std::uint64_t bytes = std::strtoull(words[3], nullptr, 10);
  confine(bytes, std::strtoull(words[4], nullptr, 10));
  try {
    if (mode == "read") return send(ymir::encode_vdb(ymir::load_vdb(words[2], bytes)).bytes()) ? 0 : 2;
    ymir::save_vdb(words[2], ymir::decode_vdb(receive(bytes), words[2]));
    return 0;
  } catch (const std::bad_alloc&) {
    return refuse("needs more memory than a VDB file may; crop or coarsen it");
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
}
