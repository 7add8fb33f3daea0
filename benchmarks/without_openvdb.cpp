#include "stencil_case.h"

namespace ymir::bench {

std::unique_ptr<StencilSolver> make_openvdb_stencil(const StencilCase&) { return nullptr; }

}  // namespace ymir::bench
