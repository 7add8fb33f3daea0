#include "interrupt.h"

#include <unistd.h>
#include <csignal>

#include "ymir/base/error.h"

namespace ymir::cli {
namespace {

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int) {
  if (interrupted.exchange(true)) _exit(static_cast<int>(ExitCode::interrupted));
  constexpr char message[] = "\nfinishing this frame; interrupt again to stop at once\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof(message) - 1);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace ymir::cli
