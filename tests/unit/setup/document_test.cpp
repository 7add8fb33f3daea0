#include "ymir/setup/document.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ymir {
namespace {

struct Parsed {
  std::optional<YamlNode> root;
  std::vector<Diagnostic> diagnostics;
};

Parsed parse(std::string_view text) {
  Parsed result;
  result.root = parse_document(text, "scene.yaml", result.diagnostics);
  return result;
}

// The one diagnostic of a text that must be refused.
std::string refusal(std::string_view text) {
  const Parsed parsed = parse(text);
  EXPECT_FALSE(parsed.root);
  EXPECT_EQ(parsed.diagnostics.size(), 1u);
  return parsed.diagnostics.empty() ? "" : to_string(parsed.diagnostics.front());
}

TEST(Document, KnowsThePlaceOfEveryNode) {
  const Parsed parsed = parse("a: 1\nb:\n  - x\n  - {c: 'y z'}\n");
  ASSERT_TRUE(parsed.root);
  const YamlNode& b = *parsed.root->find("b");
  EXPECT_EQ(b.items[0].at.line, 3);
  EXPECT_EQ(b.items[0].at.column, 5);
  const YamlNode& c = *b.items[1].find("c");
  EXPECT_EQ(c.text, "y z");
  EXPECT_TRUE(c.quoted);
  EXPECT_FALSE(parsed.root->find("a")->quoted);
  EXPECT_EQ(c.at.line, 4);
  EXPECT_EQ(c.at.column, 9);
  EXPECT_EQ(b.items[1].entries[0].at.column, 6);
}

TEST(Document, ExpandsAliases) {
  const Parsed parsed = parse("a: &x {k: 1}\nb: [*x, *x]\n");
  ASSERT_TRUE(parsed.root);
  EXPECT_EQ(parsed.root->find("b")->items[1].find("k")->text, "1");
}

TEST(Document, RefusesABillionLaughsAtOnce) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    const std::string before = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += before + ",";
    bomb += before + "]\n";
  }
  ASSERT_LT(bomb.size(), 400u);
  EXPECT_NE(refusal(bomb).find("aliases are expanded"), std::string::npos);
}

TEST(Document, RefusesManyCopiesOfALongText) {
  std::string text = "a: &a " + std::string(100'000, 'x') + "\nb: [";
  for (int i = 0; i < 1000; ++i) text += "*a, ";
  EXPECT_NE(refusal(text + "]\n").find("bytes once aliases are expanded"), std::string::npos);
}

TEST(Document, RefusesDeepNestingInEveryForm) {
  for (const char* opening : {"[", "{a: ", "- ", "? ", "&a [", "[{a: "}) {
    std::string text;
    while (text.size() < 500'000) text += opening;
    EXPECT_FALSE(parse(text).root) << opening;
  }
  std::string block;
  for (int i = 0; i < 100; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(refusal(block), "scene.yaml:65:65 more than 64 levels of nesting");
  // One level per alias.
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) chain += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  EXPECT_NE(refusal(chain).find("64 levels"), std::string::npos);
}

TEST(Document, RefusesTextsThatAreTooLongOrHoldTooMuch) {
  EXPECT_NE(refusal(std::string((1u << 20u) + 1, ' ')).find("larger than 1048576 bytes"), std::string::npos);
  std::string many = "[";
  for (int i = 0; i < 100'001; ++i) many += "x,";
  EXPECT_NE(refusal(many + "]").find("more than 100000 values"), std::string::npos);
}

TEST(Document, ReportsDuplicateKeysAndGoesOn) {
  const Parsed parsed = parse("a: 1\nb: {c: 1, c: 2}\na: 3\n");
  ASSERT_TRUE(parsed.root);
  ASSERT_EQ(parsed.diagnostics.size(), 2u);
  EXPECT_EQ(to_string(parsed.diagnostics[0]), "scene.yaml:2:11 the key 'c' is given twice; keep one");
  EXPECT_EQ(to_string(parsed.diagnostics[1]), "scene.yaml:3:1 the key 'a' is given twice; keep one");
  EXPECT_EQ(parsed.root->find("a")->text, "1");
}

TEST(Document, RefusesWhatIsNotPlainData) {
  EXPECT_NE(refusal("a: !!python/object:os.system x\n").find("tags"), std::string::npos);
  EXPECT_NE(refusal("a: !mine {b: 1}\n").find("tags"), std::string::npos);
  EXPECT_NE(refusal("a: !mine\n").find("tags"), std::string::npos);
  EXPECT_NE(refusal("a: 1\n---\nb: 1\n").find("second document"), std::string::npos);
  EXPECT_NE(refusal("[a]\n[b]\n").find("second document"), std::string::npos);
  EXPECT_NE(refusal("{[a]: 1}\n").find("key must be"), std::string::npos);
  EXPECT_NE(refusal("a: &x [*x]\n").find("contains it"), std::string::npos);
  EXPECT_NE(refusal("a: *x\n").find("not YAML"), std::string::npos);
}

TEST(Document, LocatesBadCharacters) {
  EXPECT_EQ(refusal(std::string_view("a: 1\nb: \0", 9)),
            "scene.yaml:2:4 the control character 0x00 is not allowed; remove it");
  EXPECT_EQ(refusal("a: \xff"), "scene.yaml:1:4 byte 0xff is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(refusal("a: \xc0\xaf").substr(0, 14), "scene.yaml:1:4");      // overlong
  EXPECT_EQ(refusal("a: \xed\xa0\x80").substr(0, 14), "scene.yaml:1:4");  // surrogate
  EXPECT_EQ(refusal("a: \xf0\x9f").substr(0, 14), "scene.yaml:1:4");      // cut off
  EXPECT_FALSE(parse("a: 1\x04 b").root);                                 // yaml-cpp would stop reading here
  EXPECT_FALSE(parse("a: \"\\0\"").root);
  EXPECT_TRUE(parse("a: \xc2\xb5m \xf0\x9f\x8c\xb3\n").root);
}

TEST(Document, LocatesSyntaxErrors) {
  EXPECT_EQ(refusal("a: 1\nb: [1, 2\nc: 3\n").substr(0, 12), "scene.yaml:3");
  EXPECT_EQ(refusal("a: 1\n\tb: 2\n").substr(0, 12), "scene.yaml:2");
}

}  // namespace
}  // namespace ymir
