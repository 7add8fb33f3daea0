#include "ymir/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "ymir/base/plain_text.h"

namespace ymir::log {
namespace {

constexpr std::array<std::pair<std::string_view, Level>, 6> names{{{"trace", Level::trace},
                                                                   {"debug", Level::debug},
                                                                   {"info", Level::info},
                                                                   {"warn", Level::warn},
                                                                   {"error", Level::error},
                                                                   {"off", Level::off}}};

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::trace: return spdlog::level::trace;
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warn: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
    case Level::off: return spdlog::level::off;
  }
  return spdlog::level::info;
}

Level current = Level::info;

spdlog::logger& logger() {
  static const auto instance = [] {
    auto created = spdlog::stderr_color_mt("ymir");
    created->set_pattern("%^%l%$: %v");
    created->set_level(to_spdlog(current));
    return created;
  }();
  return *instance;
}

// Warnings of one shape that are printed.
constexpr int printed_alike = 3;

struct Alike {
  std::string last;
  std::int64_t count = 0;
};
std::mutex guard;
std::map<std::string, Alike> warnings;  // by shape: the text with every number left out

std::string shape_of(std::string_view message) {
  std::string shape;
  for (const char c : message)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0)
      shape += c;
    else if (shape.empty() || shape.back() != '#')
      shape += '#';
  return shape;
}

}  // namespace

bool set_level(std::string_view name) {
  for (const auto& [known, level] : names)
    if (known == name) {
      current = level;
      logger().set_level(to_spdlog(level));
      return true;
    }
  return false;
}

Level level() { return current; }

void debug(std::string_view message) { logger().debug("{}", plain_text(message)); }
void info(std::string_view message) { logger().info("{}", plain_text(message)); }
void warn(std::string_view message) {
  const std::lock_guard lock(guard);
  Alike& alike = warnings[shape_of(message)];
  alike.last = plain_text(message);
  if (++alike.count < printed_alike)
    logger().warn("{}", alike.last);
  else if (alike.count == printed_alike)
    logger().warn("{} (more like this one are only counted)", alike.last);
}
void error(std::string_view message) { logger().error("{}", plain_text(message)); }

void summarize() {
  const std::lock_guard lock(guard);
  for (const auto& [shape, alike] : warnings)
    if (alike.count > printed_alike)
      logger().warn("{} more warnings like the last one of them: {}", alike.count - printed_alike, alike.last);
  warnings.clear();
}

}  // namespace ymir::log
