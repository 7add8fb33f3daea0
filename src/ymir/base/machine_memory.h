// Memory that this process may hope for.
#pragma once

namespace ymir {

// The machine's, or less where a limit of the process or its control group says so [bytes].
double machine_memory();

}  // namespace ymir
