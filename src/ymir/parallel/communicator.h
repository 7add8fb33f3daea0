// Ranks. The serial program is the one-rank case of the same code: with one rank every call is a copy or nothing.
// MPI stays behind communicator.cpp and is only initialised when a launcher (mpirun) started the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ymir {

using Bytes = std::vector<std::byte>;

class Communicator {
 public:
  Communicator();  // one rank: this process alone
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // All ranks of the launcher (mpirun), or one rank when there is none. Call once, before any thread starts.
  static Communicator& world();

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool root() const { return rank_ == 0; }

  void barrier();
  // Ends all ranks at once; for errors that one rank alone sees.
  [[noreturn]] void abort(int exit_code);

  std::int64_t sum(std::int64_t local);
  std::uint64_t wrapping_sum(std::uint64_t local);  // modulo 2^64: order cannot matter
  double min(double local);
  double max(double local);
  std::int64_t min(std::int64_t local);
  std::int64_t max(std::int64_t local);
  bool any(bool local);
  bool all(bool local) { return !any(!local); }
  // Sums over the ranks, added in their order: the same bits on all of them.
  double ordered_sum(double local);
  void ordered_sum(std::span<double> values);  // of each

  // Every rank's bytes on every rank, in rank order.
  std::vector<Bytes> all_gather(std::span<const std::byte> local);
  // Every rank's bytes on one, in rank order (empty elsewhere).
  std::vector<Bytes> gather(std::span<const std::byte> local, int to = 0);
  void broadcast(Bytes& bytes, int from = 0);
  // outgoing[r] goes to rank r; the answer's [r] came from rank r.
  std::vector<Bytes> all_to_all(std::vector<Bytes> outgoing);

  // A neighbour exchange in flight: messages posted, completed by finish(). Sizes are known on both sides.
  class Exchange;
  struct Message {
    int rank;
    std::span<std::byte> bytes;
  };
  std::unique_ptr<Exchange> start_exchange(std::span<const Message> sends, std::span<const Message> receives);

  // The same messages many times, between buffers that stay where they are; exchanges of two ranks are started in one
  // order on both.
  class RepeatedExchange;
  std::unique_ptr<RepeatedExchange> repeated_exchange(std::span<const Message> sends,
                                                      std::span<const Message> receives);

 private:
  struct FromLauncher {};
  explicit Communicator(FromLauncher);
  struct Impl;
  std::unique_ptr<Impl> impl_;
  int rank_ = 0;
  int size_ = 1;
};

class Communicator::Exchange {
 public:
  struct Pending;
  explicit Exchange(std::unique_ptr<Pending> pending);
  ~Exchange();
  void finish();

 private:
  std::unique_ptr<Pending> pending_;
};

class Communicator::RepeatedExchange {
 public:
  explicit RepeatedExchange(std::unique_ptr<Exchange::Pending> messages);
  ~RepeatedExchange();
  RepeatedExchange(const RepeatedExchange&) = delete;
  RepeatedExchange& operator=(const RepeatedExchange&) = delete;
  void start();
  void finish();

 private:
  std::unique_ptr<Exchange::Pending> messages_;
  bool started_ = false;
};

}  // namespace ymir
