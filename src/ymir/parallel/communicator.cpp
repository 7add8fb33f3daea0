#include "ymir/parallel/communicator.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "ymir/base/check.h"
#include "ymir/base/timer.h"
#include "ymir/parallel/common_end.h"

namespace ymir {
namespace {

bool started_by_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (std::getenv(variable) != nullptr) return true;
  return false;
}

// MPI counts are int; larger messages go in slices.
constexpr std::size_t slice = std::size_t{1} << 30;

constexpr int end_tag = 32'000;  // of no other message

int slices(std::size_t bytes) { return static_cast<int>((bytes + slice - 1) / slice); }

}  // namespace

struct Communicator::Impl {
  MPI_Comm comm = MPI_COMM_NULL;
  bool owns_mpi = false;
  std::vector<double> gathered;  // by ordered_sum
};

struct Communicator::Exchange::Pending {
  std::vector<MPI_Request> requests;
};

Communicator::Communicator() = default;

Communicator::Communicator(FromLauncher) {
  if (!started_by_launcher()) return;
  int initialised = 0;
  MPI_Initialized(&initialised);
  impl_ = std::make_unique<Impl>();
  if (initialised == 0) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    impl_->owns_mpi = true;
  }
  impl_->comm = MPI_COMM_WORLD;
  MPI_Comm_rank(impl_->comm, &rank_);
  MPI_Comm_size(impl_->comm, &size_);
}

Communicator::~Communicator() {
  if (!impl_ || !impl_->owns_mpi) return;
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (finalised == 0) MPI_Finalize();
}

Communicator& Communicator::world() {
  static Communicator instance{FromLauncher{}};
  return instance;
}

void Communicator::barrier() {
  if (impl_) MPI_Barrier(impl_->comm);
}

void Communicator::abort(int exit_code) {
  if (impl_) MPI_Abort(impl_->comm, exit_code);
  std::_Exit(exit_code);
}

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
    MPI_Irecv(&theirs[static_cast<std::size_t>(other)], 1, MPI_UINT64_T, other, end_tag, MPI_COMM_WORLD,
              &requests.emplace_back());
    MPI_Isend(&how, 1, MPI_UINT64_T, other, end_tag, MPI_COMM_WORLD, &requests.emplace_back());
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

namespace {
template <class T>
T reduce(MPI_Comm comm, T local, MPI_Datatype type, MPI_Op op) {
  T result{};
  MPI_Allreduce(&local, &result, 1, type, op, comm);
  return result;
}
}  // namespace

std::int64_t Communicator::sum(std::int64_t local) {
  return impl_ ? reduce(impl_->comm, local, MPI_INT64_T, MPI_SUM) : local;
}
std::uint64_t Communicator::wrapping_sum(std::uint64_t local) {
  return impl_ ? reduce(impl_->comm, local, MPI_UINT64_T, MPI_SUM) : local;
}
double Communicator::min(double local) { return impl_ ? reduce(impl_->comm, local, MPI_DOUBLE, MPI_MIN) : local; }
double Communicator::max(double local) { return impl_ ? reduce(impl_->comm, local, MPI_DOUBLE, MPI_MAX) : local; }
std::int64_t Communicator::min(std::int64_t local) {
  return impl_ ? reduce(impl_->comm, local, MPI_INT64_T, MPI_MIN) : local;
}
std::int64_t Communicator::max(std::int64_t local) {
  return impl_ ? reduce(impl_->comm, local, MPI_INT64_T, MPI_MAX) : local;
}
double Communicator::ordered_sum(double local) {
  ordered_sum(std::span(&local, 1));
  return local;
}
void Communicator::ordered_sum(std::span<double> values) {
  if (size_ == 1 || values.empty()) return;
  const auto count = static_cast<int>(values.size());
  std::vector<double>& all = impl_->gathered;
  all.resize(values.size() * static_cast<std::size_t>(size_));
  MPI_Allgather(values.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, impl_->comm);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = all[i];
    for (std::size_t at = i + values.size(); at < all.size(); at += values.size()) values[i] += all[at];
  }
}
bool Communicator::any(bool local) { return max(std::int64_t{local}) != 0; }

std::vector<Bytes> Communicator::all_gather(std::span<const std::byte> local) {
  std::vector<Bytes> outgoing(static_cast<std::size_t>(size_), Bytes(local.begin(), local.end()));
  return all_to_all(std::move(outgoing));
}

std::vector<Bytes> Communicator::gather(std::span<const std::byte> local, int to) {
  std::vector<Bytes> outgoing(static_cast<std::size_t>(size_));
  outgoing[static_cast<std::size_t>(to)].assign(local.begin(), local.end());
  std::vector<Bytes> incoming = all_to_all(std::move(outgoing));
  if (rank_ != to) incoming.clear();
  return incoming;
}

void Communicator::broadcast(Bytes& bytes, int from) {
  if (!impl_) return;
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, from, impl_->comm);
  bytes.resize(size);
  for (std::size_t at = 0; at < size; at += slice)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min<std::size_t>(slice, size - at)), MPI_BYTE, from,
              impl_->comm);
}

std::vector<Bytes> Communicator::all_to_all(std::vector<Bytes> outgoing) {
  YMIR_CHECK(outgoing.size() == static_cast<std::size_t>(size_));
  if (!impl_) return outgoing;
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<std::uint64_t> send_sizes(ranks), receive_sizes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) send_sizes[r] = outgoing[r].size();
  MPI_Alltoall(send_sizes.data(), 1, MPI_UINT64_T, receive_sizes.data(), 1, MPI_UINT64_T, impl_->comm);

  std::vector<Bytes> incoming(ranks);
  std::vector<Message> sends, receives;
  for (std::size_t r = 0; r < ranks; ++r) {
    const int rank = static_cast<int>(r);
    if (rank == rank_) {
      incoming[r] = std::move(outgoing[r]);
      continue;
    }
    incoming[r].resize(receive_sizes[r]);
    if (send_sizes[r] > 0) sends.push_back({rank, outgoing[r]});
    if (receive_sizes[r] > 0) receives.push_back({rank, incoming[r]});
  }
  start_exchange(sends, receives)->finish();
  return incoming;
}

namespace {
// post(data, count, rank, tag) for the slices of messages.
template <class F>
void for_each_slice(std::span<const Communicator::Message> messages, F&& post) {
  for (const Communicator::Message& message : messages)
    for (int s = 0; s < slices(message.bytes.size()); ++s) {
      const std::size_t at = static_cast<std::size_t>(s) * slice;
      post(message.bytes.data() + at, static_cast<int>(std::min(slice, message.bytes.size() - at)), message.rank, s);
    }
}
}  // namespace

std::unique_ptr<Communicator::Exchange> Communicator::start_exchange(std::span<const Message> sends,
                                                                     std::span<const Message> receives) {
  auto pending = std::make_unique<Exchange::Pending>();
  YMIR_CHECK(impl_ || (sends.empty() && receives.empty()));
  for_each_slice(receives, [&](std::byte* data, int count, int rank, int tag) {
    MPI_Irecv(data, count, MPI_BYTE, rank, tag, impl_->comm, &pending->requests.emplace_back());
  });
  for_each_slice(sends, [&](const std::byte* data, int count, int rank, int tag) {
    MPI_Isend(data, count, MPI_BYTE, rank, tag, impl_->comm, &pending->requests.emplace_back());
  });
  return std::make_unique<Exchange>(std::move(pending));
}

std::unique_ptr<Communicator::RepeatedExchange> Communicator::repeated_exchange(std::span<const Message> sends,
                                                                                std::span<const Message> receives) {
  auto messages = std::make_unique<Exchange::Pending>();
  YMIR_CHECK(impl_ || (sends.empty() && receives.empty()));
  for_each_slice(receives, [&](std::byte* data, int count, int rank, int tag) {
    MPI_Recv_init(data, count, MPI_BYTE, rank, tag, impl_->comm, &messages->requests.emplace_back());
  });
  for_each_slice(sends, [&](const std::byte* data, int count, int rank, int tag) {
    MPI_Send_init(data, count, MPI_BYTE, rank, tag, impl_->comm, &messages->requests.emplace_back());
  });
  return std::make_unique<RepeatedExchange>(std::move(messages));
}

Communicator::Exchange::Exchange(std::unique_ptr<Pending> pending) : pending_(std::move(pending)) {}
Communicator::Exchange::~Exchange() { finish(); }
void Communicator::Exchange::finish() {
  if (pending_->requests.empty()) return;
  MPI_Waitall(static_cast<int>(pending_->requests.size()), pending_->requests.data(), MPI_STATUSES_IGNORE);
  pending_->requests.clear();
}

Communicator::RepeatedExchange::RepeatedExchange(std::unique_ptr<Exchange::Pending> messages)
    : messages_(std::move(messages)) {}
Communicator::RepeatedExchange::~RepeatedExchange() {
  finish();
  for (MPI_Request& request : messages_->requests) MPI_Request_free(&request);
}
void Communicator::RepeatedExchange::start() {
  YMIR_CHECK(!started_);
  started_ = true;
  if (!messages_->requests.empty())
    MPI_Startall(static_cast<int>(messages_->requests.size()), messages_->requests.data());
}
void Communicator::RepeatedExchange::finish() {
  if (started_ && !messages_->requests.empty())
    MPI_Waitall(static_cast<int>(messages_->requests.size()), messages_->requests.data(), MPI_STATUSES_IGNORE);
  started_ = false;
}

}  // namespace ymir
