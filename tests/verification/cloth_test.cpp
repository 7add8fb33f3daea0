// Cloth through the solid system: plates, strips, stretch, Newton's method, wind, sewing. [method notes: solids, 5, 9]
#include <fmt/format.h>

#include <cmath>

#include "cloth_run.h"
#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"

namespace ymir::cloth_tests {
namespace {

// Table 5.7 of the notes: 12 x 12 near equilateral triangles of 1 m, 0.2 kg/m^2, D = 1e-5 N m, hung at two corners and
// released flat; six steps. `best` is the least mean of its columns.
TEST(Cloth, NeedsAsFewIterationsAsTheBestMethodOfTheNotes) {
  struct Row {
    double stretch;
    int fps;
    double best;
  };
  for (const Row& row : {Row{1e2, 96, 3.0}, Row{1e2, 24, 5.7}, Row{1e4, 96, 4.2}, Row{1e4, 24, 18.7},
                         Row{1e6, 96, 15.7}, Row{1e6, 24, 20.0}}) {
    for (const BendingModel model : {BendingModel::mid, BendingModel::hinge}) {
      ElasticShellMaterial material = fabric(row.stretch, 1e-5);
      material.model = model;
      ClothRun run(sheet_mesh({0.5, 0.5, 0}, 1, 1, 1.0 / 12 + 1e-12), material);
      run.gravity({0, 0, -9.81});
      run.hold([](Vec3d x) { return x.y < 1e-9 && (x.x < 1e-9 || x.x > 1 - 1e-9); });
      run.start();
      Random random(7, 0);
      std::vector<Vec3d> x = run.object().mesh().positions;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!run.object().held()[i]) x[i].z += 1e-3 * random.uniform(-1.7, 1.7);
      run.place(x);
      int iterations = 0, most = 0;
      for (int k = 0; k < 6; ++k) {
        const int taken = run.step(1.0 / row.fps);
        iterations += taken;
        most = std::max(most, taken);
      }
      double lowest = 0;
      for (const Vec3d& p : run.object().positions()) lowest = std::min(lowest, p.z);
      fmt::print("{} Eh {:g} N/m, dt 1/{}: {:.1f}/{} iterations, notes {}; lowest {:.3f} m\n",
                 model == BendingModel::mid ? "mid" : "hinge", row.stretch, row.fps, iterations / 6.0, most, row.best,
                 lowest);
      EXPECT_LE(iterations / 6.0, 1.2 * row.best);
    }
  }
}

}  // namespace
}  // namespace ymir::cloth_tests
