// The seven-point operator with variable coefficients on cell-centred values:
//   y = d x - sum over the six faces f of c_f x_f
// c is face-sampled: a voxel owns its lower faces and reads the upper ones from its + neighbours. Buckets that are not
// there contribute x = c = background. [method notes C, 1]
#pragma once

#include "ymir/data/volume_accessor.h"

namespace ymir {

// One row (V = Lanes) or one voxel (V = scalar): the arithmetic and its order are the same, so both agree bit for bit.
template <class V>
struct Stencil7 {
  V d, x;
  V cx, cx_high, cy, cy_high, cz, cz_high;
  V x_low, x_high, y_low, y_high, z_low, z_high;

  V apply() const {
    return d * x - (cx * x_low + cx_high * x_high + cy * y_low + cy_high * y_high + cz * z_low + cz_high * z_high);
  }
};

template <class T>
struct Stencil7Channels {
  ChannelId<T> diagonal;  // cell
  ChannelId<T> faces;     // face
  ChannelId<T> x;         // cell
  ChannelId<T> y;         // cell, written
};

template <class T>
void apply_stencil7(DiscreteVolume& volume, const Stencil7Channels<T>& channels) {
  auto d = read(volume, channels.diagonal);
  auto c = read(volume, channels.faces, Stencil::faces);
  auto x = read(volume, channels.x, Stencil::faces);
  auto y = write(volume, channels.y);
  const int resolution = volume.channel(channels.x.index).resolution;
  for (const int other : {channels.diagonal.index, channels.faces.index, channels.y.index})
    YMIR_CHECK(volume.channel(other).resolution == resolution);
  YMIR_CHECK(volume.channel(channels.faces.index).sampling == Sampling::face);

  with_resolution(resolution, [&](auto resolution_constant) {
    constexpr int R = resolution_constant;
    using Row = Lanes<T, R>;
    using Rows = TileRows<T, R>;
    const int last = volume.buckets().local_count() - 1;
    for_each_bucket(volume.buckets(), d, c, x, y, [&](int bucket) {
      const int ahead = std::min(bucket + Rows::tiles_ahead, last);
      const Rows xs = x.template rows<R>(bucket), xs_ahead = x.template rows<R>(ahead);
      const Rows cx = c.template rows<R>(bucket, 0), cx_ahead = c.template rows<R>(ahead, 0);
      const Rows cy = c.template rows<R>(bucket, 1), cy_ahead = c.template rows<R>(ahead, 1);
      const Rows cz = c.template rows<R>(bucket, 2), cz_ahead = c.template rows<R>(ahead, 2);
      const T* diagonal = d.tile(bucket);
      const Rows d_ahead{d.tile(ahead), {}};
      T *out = y.tile(bucket), *out_ahead = y.tile(ahead);
      for (int k = 0; k < R; ++k)
        for (int j = 0; j < R; ++j) {
          xs_ahead.template prefetch<true, true, true>(j, k);
          cx_ahead.template prefetch<true, false, false>(j, k);
          cy_ahead.template prefetch<false, true, false>(j, k);
          cz_ahead.template prefetch<false, false, true>(j, k);
          d_ahead.template prefetch<false, false, false>(j, k);
          Rows::prefetch_to_write(out_ahead, j, k);
          const int at = Rows::at(j, k);
          const Row centre = xs.row(j, k), cx_row = cx.row(j, k);
          const Stencil7<Row> row{Row::load(diagonal + at),
                                  centre,
                                  cx_row,
                                  cx.x_high(cx_row, j, k),
                                  cy.row(j, k),
                                  cy.y_high(j, k),
                                  cz.row(j, k),
                                  cz.z_high(j, k),
                                  xs.x_low(centre, j, k),
                                  xs.x_high(centre, j, k),
                                  xs.y_low(j, k),
                                  xs.y_high(j, k),
                                  xs.z_low(j, k),
                                  xs.z_high(j, k)};
          row.apply().store(out + at);
        }
    });
  });
}

}  // namespace ymir
