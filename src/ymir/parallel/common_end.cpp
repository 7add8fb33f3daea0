#include "ymir/parallel/common_end.h"

#include <mpi.h>

#include <chrono>
#include <thread>
#include <vector>

#include "ymir/base/timer.h"

namespace ymir {
namespace {

constexpr int tag = 32'000;  // of no other message

}  // namespace

// Messages between two ranks, not a barrier: the others may be in any collective operation.
bool all_ranks_end(std::uint64_t how, double patience) {
  int running = 0, finalised = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&finalised);
  if (running == 0 || finalised != 0) return false;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::uint64_t> theirs(static_cast<std::size_t>(size), how);
  std::vector<MPI_Request> requests;
  for (int other = 0; other < size; ++other) {
    if (other == rank) continue;
    MPI_Irecv(&theirs[static_cast<std::size_t>(other)], 1, MPI_UINT64_T, other, tag, MPI_COMM_WORLD,
              &requests.emplace_back());
    MPI_Isend(&how, 1, MPI_UINT64_T, other, tag, MPI_COMM_WORLD, &requests.emplace_back());
  }
  const Timer timer;
  int arrived = 0;
  while (arrived == 0 && timer.seconds() < patience) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &arrived, MPI_STATUSES_IGNORE);
    if (arrived == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (arrived == 0) return false;
  for (const std::uint64_t each : theirs)
    if (each != how) return false;
  return true;
}

}  // namespace ymir
