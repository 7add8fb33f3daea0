// Declares the parameters of a behavior, once: a plain struct with defaults and a table of its members.
//
//   return Schema<Params>("drag", "Pulls particles along with the air.")
//       .category(Category::force)
//       .param(&Params::radius, "radius", unit::m, "Radius of a particle.").positive()
//       .param(&Params::law, "law", "Dependence on speed.").enumerated<Law>({{"linear", Law::linear}});
//
// Modifiers (range ... accepts) apply to the last parameter. Real-valued members need a unit, other members have none.
// The default is what a default-constructed Params holds.
#pragma once

#include <limits>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/param/codec.h"
#include "ymir/param/schema_info.h"

namespace ymir {

template <class P>
class Schema {
 public:
  using Params = P;

  Schema(std::string_view name, std::string_view doc) {
    info_.name = name;
    info_.doc = doc;
  }

  Schema& category(Category category) {
    info_.category = category;
    return *this;
  }
  Schema& example(std::string_view path) {
    info_.example = path;
    return *this;
  }

  Schema& once() {
    info_.once = true;
    return *this;
  }

  template <class T>
  Schema& param(T P::*member, std::string_view name, const Unit& unit, std::string_view doc) {
    constexpr ParamType type = Codec<T>::type;
    YMIR_CHECK(type == ParamType::real || type == ParamType::vector || type == ParamType::list ||
               unit.symbol == unit::none.symbol);
    ParamInfo& added = add(name, doc, type);
    added.unit = unit;
    added.varying = Codec<T>::varying;
    added.optional = Codec<T>::optional;
    if constexpr (Codec<T>::type == ParamType::integer) {
      added.low = static_cast<double>(std::numeric_limits<typename Codec<T>::Scalar>::min());
      added.high = static_cast<double>(std::numeric_limits<typename Codec<T>::Scalar>::max());
    }
    added.get = [member](const void* params) { return Codec<T>::get(static_cast<const P*>(params)->*member); };
    added.set = [member](void* params, const ParamValue& value) {
      Codec<T>::set(static_cast<P*>(params)->*member, value);
    };
    if constexpr (Codec<T>::type == ParamType::choice) choice_type_ = &typeid(typename Codec<T>::Scalar);
    return *this;
  }

  template <class T>
  requires(!Codec<T>::needs_unit) Schema& param(T P::*member, std::string_view name, std::string_view doc) {
    return param(member, name, unit::none, doc);
  }

  // A struct of its own, described by `fields`.
  template <class N>
  Schema& param(N P::*member, std::string_view name, const Schema<N>& fields, std::string_view doc) {
    ParamInfo& added = add(name, doc, ParamType::nested);
    const auto table = added.fields = std::make_shared<const SchemaInfo>(fields.info());
    added.get = [member, table](const void* params) {
      return ParamValue(collect(*table, &(static_cast<const P*>(params)->*member)));
    };
    added.set = [member, table](void* params, const ParamValue& value) {
      apply(*table, held<ParamValues>(value), &(static_cast<P*>(params)->*member));
    };
    return *this;
  }

  // The same, and the whole struct may be absent.
  template <class N>
  Schema& param(std::optional<N> P::*member, std::string_view name, const Schema<N>& fields, std::string_view doc) {
    ParamInfo& added = add(name, doc, ParamType::nested);
    added.optional = true;
    const auto table = added.fields = std::make_shared<const SchemaInfo>(fields.info());
    added.get = [member, table](const void* params) {
      const std::optional<N>& nested = static_cast<const P*>(params)->*member;
      return nested ? ParamValue(collect(*table, &*nested)) : ParamValue();
    };
    added.set = [member, table](void* params, const ParamValue& value) {
      std::optional<N>& nested = static_cast<P*>(params)->*member;
      nested.reset();
      if (!std::holds_alternative<std::monostate>(value)) apply(*table, held<ParamValues>(value), &nested.emplace(N{}));
    };
    return *this;
  }

  // Any number of structs.
  template <class N>
  Schema& param(std::vector<N> P::*member, std::string_view name, const Schema<N>& fields, std::string_view doc) {
    ParamInfo& added = add(name, doc, ParamType::items);
    const auto table = added.fields = std::make_shared<const SchemaInfo>(fields.info());
    added.get = [member, table](const void* params) {
      std::vector<ParamValues> items;
      for (const N& item : static_cast<const P*>(params)->*member) items.push_back(collect(*table, &item));
      return ParamValue(std::move(items));
    };
    added.set = [member, table](void* params, const ParamValue& value) {
      std::vector<N>& items = static_cast<P*>(params)->*member;
      items.clear();
      for (const ParamValues& item : held<std::vector<ParamValues>>(value)) apply(*table, item, &items.emplace_back());
    };
    return *this;
  }

  // Bounds in SI, both allowed values; of every component.
  Schema& range(double low, double high) {
    last().low = low;
    last().high = high;
    return *this;
  }
  Schema& at_least(double low) {
    last().low = low;
    return *this;
  }
  Schema& positive() {
    last().low = 0;
    last().low_excluded = true;
    return *this;
  }
  Schema& direction() {
    last().direction = true;
    return *this;
  }
  Schema& advanced() {
    last().advanced = true;
    return *this;
  }
  Schema& required() {
    last().required = true;
    return *this;
  }
  // An older name, still read, with a warning.
  Schema& renamed_from(std::string_view old_name) {
    last().old_names.emplace_back(old_name);
    return *this;
  }
  // Where it counts; several conditions must all hold. Elsewhere a value is refused, since it would be ignored.
  Schema& only(Condition condition) {
    last().only_when.push_back(std::move(condition));
    return *this;
  }
  Schema& only_when(std::string_view param, std::vector<std::string> values) {
    return only(Condition::value_of(param, std::move(values)));
  }
  Schema& only_with(std::vector<std::string> params) { return only(Condition::given(std::move(params))); }
  Schema& only_without(std::vector<std::string> params) { return only(Condition::absent(std::move(params))); }
  Schema& acts_on(std::vector<ActsOn> targets) {
    last().acts_on = std::move(targets);
    return *this;
  }
  // Kinds of input the parameter may name; any when not called.
  Schema& accepts(std::initializer_list<InputKind> kinds) {
    YMIR_CHECK(last().type == ParamType::input);
    last().accepts = kinds;
    return *this;
  }
  template <class E>
  Schema& enumerated(std::initializer_list<std::pair<std::string_view, E>> choices) {
    YMIR_CHECK(last().type == ParamType::choice && *choice_type_ == typeid(E) && last().choices.empty());
    std::vector<std::pair<std::string, std::int64_t>> names;
    for (const auto& [name, value] : choices) names.emplace_back(name, static_cast<std::int64_t>(value));
    name_choices(last(), std::move(names));
    return *this;
  }

  // The table, with the defaults read from a default-constructed Params.
  SchemaInfo info() const {
    SchemaInfo finished = info_;
    const P defaults{};
    for (ParamInfo& p : finished.params) p.default_value = p.get(&defaults);
    check_schema(finished);
    return finished;
  }

 private:
  ParamInfo& add(std::string_view name, std::string_view doc, ParamType type) {
    ParamInfo& added = info_.params.emplace_back();
    added.name = name;
    added.doc = doc;
    added.type = type;
    return added;
  }
  ParamInfo& last() {
    YMIR_CHECK(!info_.params.empty());
    return info_.params.back();
  }

  SchemaInfo info_;
  const std::type_info* choice_type_ = nullptr;  // enum of the last choice parameter
};

}  // namespace ymir
