#include "ymir/actions/emission_over_ranks.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "ymir/math/box.h"
#include "ymir/parallel/message.h"

namespace ymir {
namespace {

std::int32_t number_of(const std::vector<SolidObject*>& objects, const SolidObject* object) {
  return static_cast<std::int32_t>(std::find(objects.begin(), objects.end(), object) - objects.begin());
}

SolidObject* object_at(const std::vector<SolidObject*>& objects, std::int32_t number) {
  return static_cast<std::size_t>(number) < objects.size() ? objects[static_cast<std::size_t>(number)] : nullptr;
}

void write(MessageWriter& out, const std::vector<SolidObject*>& objects, const MaterialPoint& p) {
  out.put(number_of(objects, p.object));
  out.put(p.piece);
  out.put(p.cell);
  out.put(p.weights);
}

MaterialPoint read_point(MessageReader& in, const std::vector<SolidObject*>& objects) {
  MaterialPoint p;
  p.object = object_at(objects, in.get<std::int32_t>());
  p.piece = in.get<std::int64_t>();
  p.cell = in.get<std::int32_t>();
  p.weights = in.get<Vec3d>();
  return p;
}

void write(MessageWriter& out, const std::vector<SolidObject*>& objects, const PieceShape& shape) {
  out.put(number_of(objects, shape.object));
  out.put(shape.piece);
  out.put(shape.is_particle);
  out.put_list(shape.positions);
  out.put_list(shape.m1);
  out.put(shape.points.size());
  for (const MaterialPoint& p : shape.points) write(out, objects, p);
  out.put_list(shape.skin.positions);
  out.put_list(shape.skin.triangles);
  out.put(shape.origin);
  out.put(std::span<const Vec3d>(shape.axes));
}

PieceShape read_shape(MessageReader& in, const std::vector<SolidObject*>& objects) {
  PieceShape shape;
  shape.object = object_at(objects, in.get<std::int32_t>());
  shape.piece = in.get<std::int64_t>();
  shape.is_particle = in.get<bool>();
  shape.positions = in.get_list<Vec3d>();
  shape.m1 = in.get_list<Vec3d>();
  shape.points.resize(in.get<std::size_t>());
  for (MaterialPoint& p : shape.points) p = read_point(in, objects);
  shape.skin.positions = in.get_list<Vec3d>();
  shape.skin.triangles = in.get_list<std::array<int, 3>>();
  shape.origin = in.get<Vec3d>();
  in.get(std::span<Vec3d>(shape.axes));
  return shape;
}

Box box_around(const PieceShape& shape) {
  Box box;
  for (const auto* points : {&shape.positions, &shape.skin.positions})
    for (const Vec3d& x : *points) box.include(x);
  return box;
}

bool near(const Box& a, const Box& b, double range) {
  for (int k = 0; k < 3; ++k)
    if (a.low[k] > b.high[k] + range || b.low[k] > a.high[k] + range) return false;
  return true;
}

}  // namespace

std::vector<PieceShape> targets_of_all(const std::vector<SolidObject*>& objects, const std::vector<PieceShape>& sources,
                                       std::vector<PieceShape> targets, double range, Communicator& communicator) {
  Box own;
  for (const PieceShape& source : sources)
    for (const Vec3d& x : source.positions) own.include(x);
  const std::vector<Bytes> boxes = communicator.all_gather(std::as_bytes(std::span<const Box>(&own, 1)));
  std::vector<Bytes> out(static_cast<std::size_t>(communicator.size()));
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank == communicator.rank()) continue;
    const Box theirs = MessageReader(boxes[static_cast<std::size_t>(rank)]).get<Box>();
    MessageWriter message(out[static_cast<std::size_t>(rank)]);
    for (const PieceShape& target : targets)
      if (near(theirs, box_around(target), range)) write(message, objects, target);
  }
  for (const Bytes& bytes : communicator.all_to_all(std::move(out))) {
    MessageReader message(bytes);
    while (!message.done()) targets.push_back(read_shape(message, objects));
  }
  std::stable_sort(targets.begin(), targets.end(), [&](const PieceShape& a, const PieceShape& b) {
    return std::tuple(number_of(objects, a.object), a.piece) < std::tuple(number_of(objects, b.object), b.piece);
  });
  return targets;
}

std::vector<EmittedPair> pairs_of_all(const std::vector<SolidObject*>& sources,
                                      const std::vector<SolidObject*>& targets, std::vector<EmittedPair> own,
                                      Communicator& communicator) {
  Bytes bytes;
  MessageWriter out(bytes);
  for (const EmittedPair& e : own) {
    write(out, sources, e.pair.source);
    write(out, targets, e.pair.target);
    out.put(e.on_surface);
    out.put(e.rest);
    out.put(e.particles);
  }
  std::vector<EmittedPair> all;
  for (const Bytes& theirs : communicator.all_gather(bytes)) {
    MessageReader in(theirs);
    while (!in.done()) {
      EmittedPair& e = all.emplace_back();
      e.pair.source = read_point(in, sources);
      e.pair.target = read_point(in, targets);
      e.on_surface = in.get<SurfacePoint>();
      e.rest = in.get<AttachmentRest>();
      e.particles = in.get<bool>();
    }
  }
  using Particle = std::pair<const SolidObject*, std::int64_t>;
  const auto key = [&](const MaterialPoint& p) { return std::tuple(number_of(sources, p.object), p.piece); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const EmittedPair& a, const EmittedPair& b) { return key(a.pair.source) < key(b.pair.source); });
  std::set<std::pair<Particle, Particle>> joined;
  std::erase_if(all, [&](const EmittedPair& e) {
    const Particle a{e.pair.source.object, e.pair.source.piece}, b{e.pair.target.object, e.pair.target.piece};
    return e.particles && !joined.insert(std::minmax(a, b)).second;
  });
  return all;
}

}  // namespace ymir
