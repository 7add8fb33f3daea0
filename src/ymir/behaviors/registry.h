// The behaviors a setup may use. Registration is explicit (register.cpp): one line per behavior.
#pragma once

#include <concepts>
#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ymir/behaviors/behavior.h"
#include "ymir/data/channel_info.h"
#include "ymir/param/schema.h"

namespace ymir {

struct BehaviorType {
  SchemaInfo schema;
  // From the values that were given; the others keep their defaults.
  std::function<std::unique_ptr<Behavior>(const ParamValues& given)> create;
  std::vector<ChannelInfo> channels;  // of the object it makes; empty: it makes none
};

class Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  Registry(Registry&&) = default;
  Registry& operator=(Registry&&) = default;

  // `Made`: the class of the object that it makes.
  template <std::derived_from<Behavior> B, class Made = void>
  void add() {
    using Params = typename B::Params;
    SchemaInfo info = B::schema().info();
    std::vector<ChannelInfo> channels;
    if constexpr (!std::is_void_v<Made>)
      for (const auto& channel : Made::list(nullptr)) channels.push_back(channel);
    add({info,
         [info](const ParamValues& given) -> std::unique_ptr<Behavior> {
           Params params{};
           apply(info, given, &params);
           return std::make_unique<B>(std::move(params));
         },
         std::move(channels)});
  }

  const BehaviorType* find(std::string_view name) const;
  // Every parameter that data may override, as one table: what `overrides:` of an input may set.
  SchemaInfo varying_parameters() const;
  // In the order of registration; addresses are stable.
  const std::deque<BehaviorType>& all() const { return types_; }

 private:
  void add(BehaviorType type);
  std::deque<BehaviorType> types_;
};

}  // namespace ymir
