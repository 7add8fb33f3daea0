#include "ymir/solvers/amg/halo.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "ymir/base/check.h"
#include "ymir/parallel/bytes.h"

namespace ymir::amg {
namespace {

template <class T>
void put(std::byte*& to, const T& value) {
  std::memcpy(to, &value, sizeof(T));
  to += sizeof(T);
}

template <class T>
T take(const std::byte*& from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  from += sizeof(T);
  return value;
}

}  // namespace

std::vector<Index> first_rows_of(Communicator& communicator, Index rows) {
  std::vector<Index> first{0};
  for (const Bytes& part : communicator.all_gather(std::as_bytes(std::span(&rows, 1)))) {
    const std::int64_t next = std::int64_t{first.back()} + from_bytes<Index>(part).front();
    YMIR_CHECK(next <= std::numeric_limits<Index>::max());
    first.push_back(static_cast<Index>(next));
  }
  return first;
}

int owner_of(std::span<const Index> first_rows, Index row) {
  return static_cast<int>(std::upper_bound(first_rows.begin(), first_rows.end(), row) - first_rows.begin()) - 1;
}

GhostNumbers::GhostNumbers(std::vector<Index> first_rows, int rank, std::span<const Index> known)
    : first_rows_(std::move(first_rows)),
      first_(first_rows_[static_cast<std::size_t>(rank)]),
      rows_(first_rows_[static_cast<std::size_t>(rank) + 1] - first_) {
  for (const Index row : known) local(row);
}

Index GhostNumbers::local(Index row) {
  if (row >= first_ && row - first_ < rows_) return row - first_;
  const auto [place, added] = number_.try_emplace(row, columns());
  if (added) ghosts_.push_back(row);
  return place->second;
}

Halo::Halo(Communicator& communicator, const GhostNumbers& numbers)
    : communicator_(&communicator), first_rows_(numbers.first_rows()), ghosts_(numbers.ghosts()) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<Index> order(ghosts_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return ghosts_[static_cast<std::size_t>(a)] < ghosts_[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<Index>> wanted(ranks), places(ranks);
  for (const Index place : order) {
    const Index row = ghosts_[static_cast<std::size_t>(place)];
    const auto owner = static_cast<std::size_t>(owner_of(first_rows_, row));
    wanted[owner].push_back(row - first_rows_[owner]);
    places[owner].push_back(place);
  }
  std::vector<Bytes> outgoing;
  for (const std::vector<Index>& rows : wanted) outgoing.push_back(to_bytes(rows));
  const std::vector<Bytes> incoming = communicator.all_to_all(std::move(outgoing));
  for (std::size_t r = 0; r < ranks; ++r)
    if (!incoming[r].empty() || !places[r].empty())
      neighbours_.push_back({static_cast<int>(r), from_bytes<Index>(incoming[r]), std::move(places[r])});
  std::size_t sent = 0;
  for (const Neighbour& n : neighbours_) sent += n.sent.size();
  sent_.resize(8 * sent);
  received_.resize(8 * ghosts_.size());
  fetch4_ = messages(4, false);
  fetch8_ = messages(8, false);
  back4_ = messages(4, true);
}

Halo::Repeated Halo::messages(std::size_t size, bool back) {
  std::vector<Communicator::Message> out, in;
  std::byte *from = sent_.data(), *to = received_.data();
  for (const Neighbour& n : neighbours_) {
    if (!n.sent.empty()) out.push_back({n.rank, {from, size * n.sent.size()}});
    if (!n.received.empty()) in.push_back({n.rank, {to, size * n.received.size()}});
    from += size * n.sent.size();
    to += size * n.received.size();
  }
  return back ? communicator_->repeated_exchange(in, out) : communicator_->repeated_exchange(out, in);
}

template <class T>
void Halo::fetch_values(const T* own, T* ghosts) {
  std::byte* from = sent_.data();
  for (const Neighbour& n : neighbours_)
    for (const Index row : n.sent) put(from, own[row]);
  Communicator::RepeatedExchange& exchange = sizeof(T) == 4 ? *fetch4_ : *fetch8_;
  exchange.start();
  exchange.finish();
  const std::byte* to = received_.data();
  for (const Neighbour& n : neighbours_)
    for (const Index place : n.received) ghosts[place] = take<T>(to);
}
template void Halo::fetch_values(const float*, float*);
template void Halo::fetch_values(const double*, double*);
template void Halo::fetch_values(const Index*, Index*);

void Halo::add_back(const float* ghosts, float* own) {
  std::byte* from = received_.data();
  for (const Neighbour& n : neighbours_)
    for (const Index place : n.received) put(from, ghosts[place]);
  back4_->start();
  back4_->finish();
  const std::byte* to = sent_.data();
  for (const Neighbour& n : neighbours_)
    for (const Index row : n.sent) own[row] += take<float>(to);
}

std::size_t Halo::bytes() const {
  std::size_t sum = 4 * (first_rows_.size() + ghosts_.size()) + sent_.size() + received_.size();
  for (const Neighbour& n : neighbours_) sum += 4 * (n.sent.size() + n.received.size());
  return sum;
}

}  // namespace ymir::amg
