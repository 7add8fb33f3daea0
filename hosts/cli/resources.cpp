#include "resources.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "ymir/base/error.h"

namespace ymir::cli {
namespace {

std::string activity = "starting";

// Given back when memory runs out, so that there is some for the message.
std::atomic<char*> reserve{nullptr};
constexpr std::size_t reserve_bytes = 1 << 18;

void on_no_memory() {
  if (char* held = reserve.exchange(nullptr)) std::free(held);
  throw std::bad_alloc();
}

void say(std::string_view text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void on_terminate() {
  ExitCode code = ExitCode::internal;
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
    say("internal error, please report: ended without an exception\n");
  } catch (const std::bad_alloc&) {
    code = ExitCode::io;
    say("out of memory while ");
    say(activity);
    say("; use a smaller setup or a machine with more memory\n");
  } catch (const Error& error) {
    code = error.code();
    say(error.what());
    say("\n");
  } catch (const std::exception& error) {
    say("internal error, please report: ");
    say(error.what());
    say("\n");
  } catch (...) {
    say("internal error, please report: an unknown exception\n");
  }
  _exit(static_cast<int>(code));
}

}  // namespace

void now(std::string what) { activity = std::move(what); }

std::string out_of_memory() {
  return "out of memory while " + activity + "; use a smaller setup or a machine with more memory";
}

void watch_resources() {
  if (char* held = static_cast<char*>(std::malloc(reserve_bytes))) {
    std::memset(held, 1, reserve_bytes);
    reserve = held;
  }
  std::set_new_handler(on_no_memory);
  std::set_terminate(on_terminate);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // a reader of the log that goes away must not end a simulation
}

}  // namespace ymir::cli
