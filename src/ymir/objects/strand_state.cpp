#include "ymir/objects/strand_state.h"

#include <algorithm>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"

namespace ymir {
namespace {

// One value per strand, in order of its number.
template <class Get>
Array of_strands(const StrandSystem& strands, Get get) {
  std::vector<std::invoke_result_t<Get, const StrandSystem::Group&, std::size_t>> values;
  for (const auto& [group, lane] : strands.seats())
    values.push_back(get(strands.group(group), static_cast<std::size_t>(lane)));
  return Array::of(values);
}

Array all_values(const StrandSystem& strands) {
  std::vector<double> values;
  for (const auto& [group, lane] : strands.seats()) {
    const Strand strand = strands.strand(group, lane);
    values.insert(values.end(), strand.values.begin(), strand.values.end());
  }
  return Array::of(values);
}

}  // namespace

void add_strand_channels(std::vector<Channel>& to, const StrandSystem* strands, std::string vertices,
                         std::string values) {
  using Group = StrandSystem::Group;
  const auto add = [&](ChannelInfo info, std::function<Array()> read) {
    to.push_back({std::move(info), std::move(read), {}, {}});
  };
  const auto of_each = [strands](auto get) { return [=] { return of_strands(*strands, get); }; };
  add(described<std::int64_t>("strand", Place::strand, "", "Its number in the input.", Use::shown | Use::kept),
      of_each([](const Group& group, std::size_t lane) { return group.id[lane]; }));
  add(described<std::int64_t>("vertices", Place::strand, "", std::move(vertices), Use::kept),
      of_each([](const Group& group, std::size_t lane) { return std::int64_t{group.count[lane]}; }));
  add(described<Vec3d>("home", Place::strand, "m", "The bucket there decides which rank owns it.", Use::kept),
      of_each([](const Group& group, std::size_t lane) { return group.home[lane]; }));
  add(described<std::int64_t>("tie", Place::strand, "", "Strands with the same number are solved together; -1: alone.",
                              Use::kept),
      of_each([](const Group& group, std::size_t) { return group.tie; }));
  add(described<double>("values", Place::object, "", std::move(values), Use::kept),
      [=] { return all_values(*strands); });
}

std::int64_t layout_of(const StrandSystem& strands) {
  Communicator& communicator = strands.domain().communicator();
  std::uint64_t layout = hash_combine(static_cast<std::uint64_t>(communicator.sum(strands.strand_count())),
                                      static_cast<std::uint64_t>(communicator.sum(strands.vertex_count())));
  for (int c = 0; c < strands.channel_count(); ++c) layout = hash_text(strands.channel_name(c), layout);
  return static_cast<std::int64_t>(layout);
}

std::vector<Strand> stored_strands(const StrandSystem& system, const ObjectState& whole, const std::string& owner) {
  const auto bad = [&] {
    return Error(ExitCode::bad_input,
                 "the checkpoint of " + owner + " does not fit this setup; start again in another folder");
  };
  const auto ids = whole.channels.find("strand")->second.as<std::int64_t>();
  const auto vertices = whole.channels.find("vertices")->second.as<std::int64_t>();
  const auto values = whole.channels.find("values")->second.as<double>();
  const auto homes = whole.channels.find("home")->second.as<Vec3d>();
  const auto ties = whole.channels.find("tie")->second.as<std::int64_t>();
  if (vertices.size() != ids.size() || homes.size() != ids.size() || ties.size() != ids.size()) throw bad();
  std::vector<Strand> strands;
  std::size_t at = 0;
  for (std::size_t s = 0; s < ids.size(); ++s) {
    if (vertices[s] < 1 || vertices[s] > static_cast<std::int64_t>(values.size())) throw bad();
    Strand strand = system.make_strand(ids[s], static_cast<int>(vertices[s]));
    if (at + strand.values.size() > values.size()) throw bad();
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), strand.values.size(), strand.values.begin());
    at += strand.values.size();
    strand.home = homes[s];
    strand.tie = ties[s];
    strands.push_back(std::move(strand));
  }
  if (at != values.size()) throw bad();
  return strands;
}

}  // namespace ymir
