// Pieces that are many and small in a ContactScene.
#include <algorithm>

#include "ymir/solids/contact/contact_scene.h"
#include "ymir/solids/unions.h"

namespace ymir {

// Where the pieces of an object are now.
void ContactScene::find_seats(std::int32_t entry) {
  const Touching& t = objects_[static_cast<std::size_t>(entry)];
  const auto of_member = [&](int member) {
    return std::partition_point(ends_.begin(), ends_.end(), [&](const End& end) { return end.member < member; });
  };
  const auto first = of_member(t.member), last = of_member(t.member + 1);
  std::vector<std::int64_t> pieces;
  for (auto end = first; end != last; ++end)
    pieces.push_back(boundary_.piece(static_cast<std::int32_t>(end - ends_.begin())).id.piece);
  auto end = first;
  for (const SolidObject::Seat& seat : t.object->seat(pieces))
    *end++ = {t.member, communicator_->rank(), seat.block, seat.place, t.object->order_of(seat.block)};
}

void ContactScene::gather(const std::function<bool(const End&)>& coupled) {
  gathered_.clear();
  if (std::none_of(objects_.begin(), objects_.end(), [](const Touching& t) { return t.object->loose(); })) return;
  const auto at = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  Unions joined(ends_.size());
  std::vector<char> met(ends_.size(), 0);
  for (const Contact& c : detection_.contacts()) {
    if (c.b.kind == SideKind::collider) continue;
    joined.join(c.a.piece, c.b.piece);
    met[at(c.a.piece)] = met[at(c.b.piece)] = 1;
  }
  gathered_.assign(ends_.size(), 0);
  std::vector<std::int32_t> island(ends_.size(), -1);  // by piece that its set is known by
  std::int32_t islands = 0;
  for (std::size_t first = 0, last = 0; first < ends_.size(); first = last) {
    const int member = ends_[first].member;
    while (last < ends_.size() && ends_[last].member == member) ++last;
    SolidObject& object = *entry_of(member).object;
    if (!object.loose()) continue;
    std::vector<int> blocks;
    std::vector<std::int32_t> of_island;
    for (std::size_t p = first; p < last; ++p) {
      if (coupled(ends_[p])) {
        met[p] = 1;  // colliders act on what is coupled, too
        continue;
      }
      gathered_[p] = met[p];
      if (met[p] == 0) continue;
      std::int32_t& number = island[at(joined.find(static_cast<int>(p)))];
      if (number < 0) number = islands++;
      blocks.push_back(ends_[p].block);
      of_island.push_back(number);
    }
    const std::vector<SolidObject::Seat> seats = object.gather(blocks, of_island);
    auto seat = seats.begin();
    for (std::size_t p = first; p < last; ++p)
      if (gathered_[p] != 0) {
        ends_[p].block = seat->block, ends_[p].place = seat->place, ends_[p].order = object.order_of(seat->block);
        ++seat;
      }
  }
  detection_.leave_out([&](const Contact& c) {
    return c.b.kind == SideKind::collider && met[at(c.a.piece)] == 0 &&
           entry_of(ends_[at(c.a.piece)].member).object->loose();
  });
}

void ContactScene::release() const {
  if (gathered_.empty()) return;
  std::vector<char> pushed(ends_.size(), 0);
  for (const Contact& c : detection_.contacts())
    if (c.b.kind != SideKind::collider && dot(c.impulse, c.impulse) > 0)
      pushed[static_cast<std::size_t>(c.a.piece)] = pushed[static_cast<std::size_t>(c.b.piece)] = 1;
  for (std::size_t p = 0; p < ends_.size(); ++p)
    if (gathered_[p] != 0 && pushed[p] == 0)
      entry_of(ends_[p].member).object->release({ends_[p].block, ends_[p].place});
}

}  // namespace ymir
