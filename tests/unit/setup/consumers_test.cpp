// What is made from the schemas: JSON Schema, terminal help, reference pages.
#include <gtest/gtest.h>

#include "sample_behaviors.h"
#include "ymir/setup/json_schema.h"
#include "ymir/setup/reference.h"

namespace ymir {
namespace {

// Every parameter, nested ones included.
std::vector<const ParamInfo*> all_params(const SchemaInfo& schema) {
  std::vector<const ParamInfo*> params;
  for (const ParamInfo& p : schema.params) {
    params.push_back(&p);
    if (p.fields)
      for (const ParamInfo* nested : all_params(*p.fields)) params.push_back(nested);
  }
  return params;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Registry, KeepsTheOrderOfRegistration) {
  const Registry registry = sample::registry();
  ASSERT_EQ(registry.all().size(), 3u);
  EXPECT_EQ(registry.all()[0].schema.name, "gravity");
  EXPECT_EQ(registry.find("rod"), &registry.all()[1]);
  EXPECT_EQ(registry.find("none"), nullptr);
}

TEST(Registry, RefusesTheSameNameTwice) {
  Registry registry = sample::registry();
  EXPECT_THROW(registry.add<sample::Gravity>(), CheckFailed);
}

TEST(Registry, CreatesWithDefaultsWhenNothingIsGiven) {
  const Registry registry = sample::registry();
  const auto made = registry.find("everything")->create({});
  const SchemaInfo& schema = registry.find("everything")->schema;
  const auto& params = dynamic_cast<const sample::Everything&>(*made).params;
  for (const ParamInfo& p : schema.params) EXPECT_EQ(p.get(&params), p.default_value) << p.name;
}

TEST(JsonSchema, CoversEveryBehaviorParameterAndSection) {
  const Registry registry = sample::registry();
  const std::string schema = json_schema(registry);
  EXPECT_EQ(schema, json_schema(sample::registry()));
  EXPECT_TRUE(contains(schema, "https://json-schema.org/draft/2020-12/schema"));
  for (const BehaviorType& type : registry.all()) {
    EXPECT_TRUE(contains(schema, "\"behavior_" + type.schema.name + "\""));
    for (const ParamInfo* p : all_params(type.schema)) {
      EXPECT_TRUE(contains(schema, "\"" + p->name + "\": {")) << p->name;
      EXPECT_TRUE(contains(schema, "\"" + p->doc)) << p->name;
    }
  }
  for (const char* key : {"\"newton_iterations\"", "\"checkpoint_every\"", "\"scale\"", "\"preview\""})
    EXPECT_TRUE(contains(schema, key)) << key;
}

TEST(Reference, DescribesEveryParameterWithUnitRangeAndDefault) {
  const Registry registry = sample::registry();
  for (const BehaviorType& type : registry.all()) {
    const std::string text = describe(type);
    for (const ParamInfo* p : all_params(type.schema)) {
      EXPECT_TRUE(contains(text, p->name)) << p->name;
      EXPECT_TRUE(contains(text, p->doc)) << p->name;
    }
  }
  const std::string rod = describe(*registry.find("rod"));
  EXPECT_TRUE(contains(rod, "youngs_modulus [Pa] = 3500000000 Pa")) << rod;
  EXPECT_TRUE(contains(rod, "above 0 Pa")) << rod;
  EXPECT_TRUE(contains(rod, "Formerly stiffness.")) << rod;
  EXPECT_TRUE(contains(rod, "input = required")) << rod;
  EXPECT_TRUE(contains(describe_all(registry), "gravity     Uniform body force per unit mass."));
}

TEST(Reference, HasOnePagePerBehaviorAnIndexTheSetupFileAndChannels) {
  const Registry registry = sample::registry();
  const auto pages = reference_pages(registry);
  ASSERT_EQ(pages.size(), 6u);
  EXPECT_TRUE(contains(pages.at("index.md"), "(channels.md)"));
  EXPECT_EQ(pages, reference_pages(sample::registry()));
  for (const BehaviorType& type : registry.all()) {
    const std::string& page = pages.at(type.schema.name + ".md");
    for (const ParamInfo* p : all_params(type.schema)) EXPECT_TRUE(contains(page, "| `" + p->name + "` |")) << p->name;
    EXPECT_TRUE(contains(pages.at("index.md"), "(" + type.schema.name + ".md)"));
  }
  EXPECT_TRUE(contains(pages.at("gravity.md"), "(../../examples/embers.yaml)"));
  for (const char* name : {"## time", "## inputs", "## outputs", "`newton_iterations`", "`width`"})
    EXPECT_TRUE(contains(pages.at("setup_file.md"), name)) << name;
}

}  // namespace
}  // namespace ymir
