#include "ymir/solids/contact/remote_clusters.h"

#include <algorithm>
#include <cstring>

#include "ymir/base/check.h"

namespace ymir {

void RemoteCluster::describe(std::span<NodeMetric> nodes) const { std::ranges::copy(metric_, nodes.begin()); }

bool RemoteCluster::measure(std::span<NodeMetric> nodes) const {
  std::ranges::copy(measured_, nodes.begin());
  return measures_;
}

void RemoteCluster::announce(Question question, const double* values) {
  RemoteClusters& all = *all_;
  if (all.sent_) {
    all.question_.clear();
    all.answer_size_ = 0;
    all.sent_ = all.came_ = false;
  }
  if (all.question_.empty())
    all.question_ = all.head(question == Question::solve          ? IslandRequest::solve
                             : question == Question::solve_metric ? IslandRequest::solve_metric
                                                                  : IslandRequest::factor);
  MessageWriter out(all.question_);
  out.put(number_);
  const bool masses = question == Question::factor;
  out.put(std::span<const double>(values, masses ? metric_.size() : 4 * metric_.size()));
  announced_ = true;
  answer_ = all.answer_size_;
  all.answer_size_ += masses ? sizeof(bool) : metric_.size() * sizeof(NodeVector);
}

void RemoteCluster::send() {
  if (all_->sent_ || all_->question_.empty()) return;
  all_->post(all_->question_);
  all_->sent_ = true;
}

// What was announced of all has come in one message.
void RemoteCluster::take(NodeVector* x) {
  if (!all_->came_) all_->answered_ = all_->answer();
  all_->came_ = true;
  announced_ = false;
  YMIR_CHECK(all_->answered_.size() == all_->answer_size_);
  if (x != nullptr) std::memcpy(static_cast<void*>(x), all_->answered_.data() + answer_, metric_.size() * sizeof *x);
}

bool RemoteCluster::factor(std::span<const double> d) {
  if (!announced_) announce(Question::factor, d.data());
  send();
  take(nullptr);
  bool good = false;
  std::memcpy(&good, all_->answered_.data() + answer_, sizeof good);
  return good;
}

void RemoteCluster::solve(NodeVector* x) {
  if (!announced_) announce(Question::solve, reinterpret_cast<const double*>(x));
  send();
  take(x);
}

void RemoteCluster::solve_metric(NodeVector* x) {
  if (!announced_) announce(Question::solve_metric, reinterpret_cast<const double*>(x));
  send();
  take(x);
}

void RemoteCluster::solve_many(NodeVector* x, int count) {
  if (count == 0) return;
  const std::span<NodeVector> vectors(x, static_cast<std::size_t>(count) * metric_.size());
  Bytes message = all_->head(IslandRequest::solve_many);
  MessageWriter out(message);
  out.put(number_);
  out.put(count);
  out.put(std::span<const NodeVector>(vectors));
  all_->post(std::move(message));
  const Bytes answer = all_->answer();
  MessageReader(answer).get(vectors);
}

RemoteCluster& RemoteClusters::add() {
  return *clusters_.emplace_back(std::make_unique<RemoteCluster>(*this, static_cast<std::uint32_t>(clusters_.size())));
}

Bytes RemoteClusters::head(IslandRequest request) const {
  Bytes bytes;
  MessageWriter(bytes).put(request);
  return bytes;
}

void RemoteClusters::ask(IslandRequest request) { post(head(request)); }

// All that was posted before has arrived by then.
Bytes RemoteClusters::answer() {
  Bytes bytes = receive_letter(*communicator_, rank_);
  letters_.clear();
  return bytes;
}

void RemoteClusters::read_structure() {
  structure_ = answer();
  shares_ = MessageReader(structure_);
  MessageReader& in = shares_;
  for (auto& c : clusters_) {
    c->metric_ = in.get_list<NodeMetric>();
    c->first_node_ = in.get_list<std::int32_t>();
    c->adapt_ = in.get<NodalBody::Adapt>();
    c->exact_ = in.get<bool>();
    c->threaded_ = in.get<bool>();
    c->ways_.assign(c->metric_.size(), {0, 0, 0});
  }
}

void RemoteClusters::follow(std::vector<NodeShare>& shares) {
  const auto own = shares_.get_list<NodeShare>();
  shares.insert(shares.end(), own.begin(), own.end());
}

void RemoteClusters::read_residuals() {
  const Bytes bytes = answer();
  MessageReader in(bytes);
  for (auto& c : clusters_) {
    Cluster::Outcome& o = c->outcome_;
    c->running_ = in.get<bool>();
    o.converged = in.get<bool>();
    o.piece_iterations = in.get<std::int64_t>();
    o.residual = in.get<double>();
    o.worst_object = in.get<int>();
    o.worst_piece = in.get<std::int64_t>();
    o.gap = in.get<double>();
    o.at_odds.resize(in.get<std::size_t>());
    for (std::string& owner : o.at_odds) {
      const auto text = in.get_list<char>();
      owner.assign(text.begin(), text.end());
    }
    in.get(std::span<Vec3d>(c->ways_));
  }
}

bool RemoteClusters::read_factored() {
  const Bytes bytes = answer();
  MessageReader in(bytes);
  if (!in.get<bool>()) return false;
  if (in.done()) return true;
  for (auto& c : clusters_) {
    c->measures_ = in.get<bool>();
    c->measured_.resize(c->metric_.size());
    in.get(std::span<NodeMetric>(c->measured_));
  }
  return true;
}

void RemoteClusters::move(std::span<const std::vector<NodeVector>* const> impulses) {
  Bytes message = head(IslandRequest::move);
  MessageWriter out(message);
  for (std::size_t c = 0; c < clusters_.size(); ++c) out.put(std::span<const NodeVector>(*impulses[c]));
  post(std::move(message));
}

void RemoteClusters::end() {
  post(head(IslandRequest::end));
  letters_.clear();  // once they have arrived
}

}  // namespace ymir
