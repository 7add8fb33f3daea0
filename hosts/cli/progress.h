// One line on a terminal that says how far a run is and how long it will take; a line per frame where there is no
// terminal, and one every half a minute while nothing else is heard of a frame.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "ymir/base/timer.h"

namespace ymir::cli {

class Progress {
 public:
  explicit Progress(std::string what);  // silent on other ranks than 0, and when the log level is above info
  ~Progress();

  void begin(std::int64_t first, std::int64_t last);
  // fraction: of this frame, 0 to 1; detail: "3 substeps, 120,000 elements".
  void update(std::int64_t frame, double fraction, const std::string& detail);
  void finish_frame(std::int64_t frame, const std::string& detail);

 private:
  void draw(std::int64_t frame, double done, const std::string& detail);
  void clear();
  void wait_aloud(const std::stop_token& ended);

  std::string what_;
  bool silent_, terminal_;
  std::int64_t first_ = 0, last_ = 0;
  Timer since_begin_, since_draw_;
  bool drawn_ = false;

  // Of the frame at hand, for those who wait; all that is printed goes through the mutex.
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::int64_t frame_ = 0;
  double done_ = 0;  // frames
  std::string detail_;
  Timer since_frame_, since_line_;
  std::jthread waiting_;  // the last member: it ends before the others
};

// How much of a work of unequal parts is done and how long the rest will take: one line on a terminal, else a line at a
// time, not more often than every two seconds.
class Countdown {
 public:
  explicit Countdown(std::string what);
  ~Countdown() { clear(); }
  void update(const std::string& detail, double seconds_left);
  void clear();

 private:
  std::string what_;
  bool silent_, terminal_;
  Timer since_begin_, since_line_;
  bool drawn_ = false;
};

// What is being done, on a terminal only, until the next or the end.
class Activity {
 public:
  explicit Activity(std::string what) : what_(std::move(what)) {}
  ~Activity() { clear(); }
  void update(const std::string& detail);
  void clear();

 private:
  std::string what_;
  bool drawn_ = false;
};

// "1:02:03", "4:05", "12 s".
std::string duration(double seconds);
// "1,234,567".
std::string grouped(std::int64_t number);

}  // namespace ymir::cli
