#include "ymir/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
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
void warn(std::string_view message) { logger().warn("{}", plain_text(message)); }
void error(std::string_view message) { logger().error("{}", plain_text(message)); }

}  // namespace ymir::log
