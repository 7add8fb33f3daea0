#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "ymir/base/log.h"
#include "ymir/base/plain_text.h"
#include "ymir/parallel/communicator.h"

namespace ymir::cli {
namespace {

// Past the filter of std::cerr (plain_stream.h), for the two sequences that move the cursor.
void write(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

void Activity::update(const std::string& detail) {
  if (!Communicator::world().root() || log::level() > log::Level::info || isatty(STDERR_FILENO) == 0) return;
  write(fmt::format("\r\033[K{}: {}", what_, plain_text(detail)));
  drawn_ = true;
}

void Activity::clear() {
  if (drawn_) write("\r\033[K");
  drawn_ = false;
}

Countdown::Countdown(std::string what)
    : what_(std::move(what)),
      silent_(!Communicator::world().root() || log::level() > log::Level::info),
      terminal_(isatty(STDERR_FILENO) != 0) {}

void Countdown::update(const std::string& detail, double seconds_left) {
  if (silent_ || (!terminal_ && since_line_.seconds() < 2)) return;
  since_line_.restart();
  const std::string line = plain_text(fmt::format("{}: {}, {} so far, {} left", what_, detail,
                                                  duration(since_begin_.seconds()), duration(seconds_left)));
  write(terminal_ ? "\r\033[K" + line : line + "\n");
  drawn_ = terminal_;
}

void Countdown::clear() {
  if (drawn_) write("\r\033[K");
  drawn_ = false;
}

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

Progress::Progress(std::string what)
    : what_(std::move(what)),
      silent_(!Communicator::world().root() || log::level() > log::Level::info),
      terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  waiting_.request_stop();
  if (waiting_.joinable()) waiting_.join();
  clear();
}

void Progress::begin(std::int64_t first, std::int64_t last) {
  first_ = frame_ = first;
  last_ = last;
  since_begin_.restart();
  since_frame_.restart();
  since_line_.restart();
  if (silent_) return;
  try {
    waiting_ = std::jthread([this](const std::stop_token& ended) { wait_aloud(ended); });
  } catch (const std::system_error&) {
    // The system lets no thread start: the run goes on, and long substeps are silent.
  }
}

// A substep may take minutes, and says nothing meanwhile.
void Progress::wait_aloud(const std::stop_token& ended) {
  constexpr double patience = 30;  // s
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, ended, std::chrono::seconds(1), [&] { return ended.stop_requested(); })) {
    if (since_line_.seconds() < patience) continue;
    since_line_.restart();
    const std::string so_far = fmt::format("{}, {} so far in this frame", detail_.empty() ? "substep 1" : detail_,
                                           duration(since_frame_.seconds()));
    if (terminal_)
      draw(frame_, done_, so_far);
    else
      std::cerr << fmt::format("{} frame {} of {}  {}\n", what_, frame_, last_, so_far);
  }
}

void Progress::clear() {
  if (drawn_) write("\r\033[K");
  drawn_ = false;
}

void Progress::draw(std::int64_t frame, double done, const std::string& detail) {
  const double all = static_cast<double>(last_ - first_ + 1);
  const double left = done > 0 ? since_begin_.seconds() * (all - done) / done : 0;
  constexpr int width = 24;
  const int filled = static_cast<int>(width * done / all);
  write("\r\033[K" + plain_text(fmt::format("{} [{:<{}}] frame {} of {}  {}  {} left", what_,
                                            std::string(static_cast<std::size_t>(filled), '#'), width, frame, last_,
                                            detail, duration(left))));
  drawn_ = true;
}

void Progress::update(std::int64_t frame, double fraction, const std::string& detail) {
  if (silent_) return;
  const std::lock_guard lock(mutex_);
  frame_ = frame;
  done_ = static_cast<double>(frame - first_) + fraction;
  detail_ = detail;
  if (!terminal_ || since_draw_.seconds() < 0.1) return;
  since_draw_.restart();
  since_line_.restart();
  draw(frame, done_, detail);
}

void Progress::finish_frame(std::int64_t frame, const std::string& detail) {
  if (silent_) return;
  const std::lock_guard lock(mutex_);
  const double done = static_cast<double>(frame - first_ + 1);
  frame_ = frame + 1;
  done_ = done;
  detail_.clear();
  since_frame_.restart();
  since_line_.restart();
  if (frame == last_) waiting_.request_stop();
  if (terminal_) return draw(frame, done, detail);
  const double left = since_begin_.seconds() / done * static_cast<double>(last_ - frame);
  std::cerr << fmt::format("{} frame {} of {}  {}  {} left\n", what_, frame, last_, detail, duration(left));
}

}  // namespace ymir::cli
