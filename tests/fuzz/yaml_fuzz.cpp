// The setup reader on any text: it ends, reports, and never touches memory that is not its own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "../unit/setup/sample_behaviors.h"
#include "ymir/setup/solver_setup.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ymir::Registry registry = ymir::sample::registry();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ymir::ReadResult result = ymir::read_setup_text(text, "fuzz.yaml", registry);
  // Either a setup or a reason.
  if (!result.setup && !ymir::has_errors(result.diagnostics)) std::abort();
  return 0;
}
