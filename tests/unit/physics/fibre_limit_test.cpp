// Tension of fibres that a bar bears, against closed forms.
#include "ymir/physics/hyperelastic/fibre_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ymir/physics/hyperelastic/corotated.h"
#include "ymir/physics/hyperelastic/log_neo_hookean.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"
#include "ymir/physics/hyperelastic/stable_neo_hookean.h"

namespace ymir {
namespace {

TEST(FibreLimit, OfNeoHookeanMaterialIsThatOfItsClosedForm) {
  for (const double nu : {0.0, 0.1, 0.3, 0.4}) {
    const double k = 1 - 2 * nu;
    double most = 0;
    for (double u = 1; u < 10; u += 1e-4) most = std::max(most, ((1 - k * (u - 1)) * u * u - 1 / u) / (2 * (1 + nu)));
    EXPECT_NEAR(fibre_limit<StableNeoHookean>(nu), most, 1e-4 * most) << nu;
  }
}

TEST(FibreLimit, OfStVenantKirchhoffDoesNotDependOnPoissonsRatio) {
  for (const double nu : {0.0, 0.2, 0.4})
    EXPECT_NEAR(fibre_limit<StVenantKirchhoff>(nu), 1 / (3 * std::sqrt(3.0)), 1e-5) << nu;
}

TEST(FibreLimit, GrowsAsVolumeIsKept) {
  double neo = 0, log = 0, corotated = 0;
  for (const double nu : {0.0, 0.1, 0.2, 0.3, 0.4}) {
    EXPECT_GT(fibre_limit<StableNeoHookean>(nu), neo);
    EXPECT_GT(fibre_limit<LogNeoHookean>(nu), log);
    EXPECT_GT(fibre_limit<Corotated>(nu), corotated);
    neo = fibre_limit<StableNeoHookean>(nu);
    log = fibre_limit<LogNeoHookean>(nu);
    corotated = fibre_limit<Corotated>(nu);
  }
}

}  // namespace
}  // namespace ymir
