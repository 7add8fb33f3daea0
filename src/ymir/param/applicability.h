// Where a parameter counts. A value that would be ignored is a mistake the user should hear of: `radius` of a box.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ymir {

struct ParamInfo;
struct ParamValues;
struct SchemaInfo;

// What other parameters of the same table must be for it. One that does not apply itself counts as not given.
struct Condition {
  enum class Asks : unsigned char {
    value,   // the one of `params` has one of `values`: names of choices, "true", "false"
    given,   // any of `params` is given
    absent,  // none of them is
  };
  Asks asks = Asks::value;
  std::vector<std::string> params;
  std::vector<std::string> values;

  static Condition value_of(std::string_view param, std::vector<std::string> values) {
    return {Asks::value, {std::string(param)}, std::move(values)};
  }
  static Condition given(std::vector<std::string> params) { return {Asks::given, std::move(params), {}}; }
  static Condition absent(std::vector<std::string> params) { return {Asks::absent, std::move(params), {}}; }
};

// What points and fields a parameter of a behavior is for.
// solids: soft bodies; of values that are not painted also all other solids. cloth: apart from them.
enum class ActsOn : unsigned char { particles, strands, solids, cloth, gas };
std::string_view to_string(ActsOn);

// Why a parameter that is among `given` has no effect, and what to do; "": it has one.
std::string no_effect(const SchemaInfo& schema, const ParamInfo& param, const ParamValues& given);

// "for shape: mesh or sheet, with motion"; "" when it always counts.
std::string applies_text(const ParamInfo& param);

// CHECKs that conditions name parameters and values there are.
void check_conditions(const SchemaInfo& schema);

}  // namespace ymir
