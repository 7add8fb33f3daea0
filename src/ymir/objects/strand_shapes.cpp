// Strands as attachments look at them.
#include "ymir/objects/curves_object.h"

namespace ymir {

std::vector<PieceShape> CurvesObject::input_shapes() {
  std::vector<PieceShape> shapes;
  const Curves& all = curves();
  for (std::size_t s = 0; s < all.strand_count(); ++s) {
    PieceShape& shape = shapes.emplace_back();
    shape.object = this;
    shape.piece = static_cast<std::int64_t>(s);
    shape.positions.assign(all.positions.begin() + all.first[s], all.positions.begin() + all.first[s + 1]);
  }
  return shapes;
}

std::vector<PieceShape> CurvesObject::present_shapes() {
  std::vector<PieceShape> shapes;
  const int x = rod_channels().position, m = rod_channels().m1;
  for (const Strand& strand : strands().copy_all()) {
    PieceShape& shape = shapes.emplace_back();
    shape.object = this;
    shape.piece = strand.id;
    for (std::size_t i = 1; i < static_cast<std::size_t>(strand.vertices); ++i) {
      shape.positions.emplace_back(strand.channel(x)[i], strand.channel(x + 1)[i], strand.channel(x + 2)[i]);
      shape.m1.emplace_back(strand.channel(m)[i], strand.channel(m + 1)[i], strand.channel(m + 2)[i]);
    }
  }
  return shapes;
}

// The frame is the solver's where it is known, before ingest that of the natural shape.
Embedding CurvesObject::point_of(const PieceShape& shape, const MaterialPoint& at) const {
  const auto edge_vector = [&](int e) {
    return shape.positions[static_cast<std::size_t>(e)] - shape.positions[static_cast<std::size_t>(e) - 1];
  };
  RodEdge<double> edge;
  if (!shape.m1.empty()) {
    const Vec3d t = normalized(edge_vector(at.cell));
    edge = {t, 1, orthonormalized(shape.m1[static_cast<std::size_t>(at.cell) - 1], t)};
  } else {
    const RootFrame root = root_frame(shape.piece);
    edge = {root.tangent, 1, root.m1};
    for (int e = 1; e <= at.cell; ++e)
      if (norm(edge_vector(e)) > 0) edge = moved(edge, edge_vector(e), 0.0);
  }
  const auto a = shape.positions[static_cast<std::size_t>(at.cell) - 1],
             b = shape.positions[static_cast<std::size_t>(at.cell)];
  Embedding p;
  p.position = a + (b - a) * at.weights.x;
  p.frame[0] = edge.t;
  p.frame[1] = edge.m1;
  p.frame[2] = cross(edge.t, edge.m1);
  return p;
}

}  // namespace ymir
