#include "core/toml.h"

#include <gtest/gtest.h>

namespace schedlab {
namespace {

TEST(TomlTest, MalformedTextNamesFileAndLine) {
  const Result<TomlValue> parsed = ParseToml("a = 1\nb = [\n", "suite.toml");

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(parsed.error().message.rfind("suite.toml:", 0), 0U) << parsed.error().message;
}

// Where the parser itself does not expect them.
TEST(TomlTest, CharactersThatBeginNoNameAreRefused) {
  for (const std::string text :
       {"a = 1\n[.b]\n", "a = 1\n[=]\n", "a = 1\n[[-", "a = 1\n[{}]\n", "a = 1\n\u00b5 = 2\n",
        "a = 1\n[gr\u00f6\u00dfe]\n", "a = 1\nb = \u01b5\n"}) {
    const auto parsed = ParseToml(text, "x.toml");
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_TRUE(parsed.error().message.starts_with("x.toml:2: not TOML: ")) << text;
  }
  EXPECT_FALSE(ParseToml(std::string_view("[\0", 2), "x.toml").has_value());
}

TEST(TomlTest, AWrongTypeNamesFileLineAndKey) {
  const TomlValue document = ParseToml("a = 1\nb = \"x\"\n", "f").value();
  TomlReader reader(document, "f");

  reader.Integer("a");
  reader.Integer("b");

  ASSERT_FALSE(reader.status().has_value());
  EXPECT_EQ(reader.status().error().message, "f:2: key 'b': must be an integer");
}

TEST(TomlTest, AMissingKeyIsNamed) {
  const TomlValue document = ParseToml("a = 1\n", "f").value();
  TomlReader reader(document, "f");

  reader.String("name");

  EXPECT_EQ(reader.status().error().message, "f:1: key 'name': is missing");
}

TEST(TomlTest, AnUnknownKeyIsNamedWithTheNearestKnownOne) {
  const TomlValue document = ParseToml("name = \"a\"\nrepetition = 5\n", "f").value();
  TomlReader reader(document, "f");

  reader.String("name");
  reader.Integer("repetitions", 1);
  reader.RefuseUnknownKeys();

  EXPECT_EQ(reader.status().error().message,
            "f:2: key 'repetition': is not known here (did you mean 'repetitions'?)");
}

TEST(TomlTest, ErrorsOfNestedTablesReachTheRootWithTheirPath) {
  const TomlValue document = ParseToml("[[policy]]\nname = 3\n", "f").value();
  TomlReader root(document, "f");

  std::vector<TomlReader> policies = root.Tables("policy");
  policies.at(0).String("name");

  EXPECT_EQ(root.status().error().message, "f:2: key 'policy.name': must be a string");
}

TEST(TomlTest, TheFirstErrorIsKept) {
  const TomlValue document = ParseToml("", "f").value();
  TomlReader reader(document, "f");

  reader.String("first");
  reader.String("second");

  EXPECT_NE(reader.status().error().message.find("first"), std::string::npos);
}

TEST(TomlTest, DatesAreRefused) {
  EXPECT_EQ(ParseToml("a = 2013-01-01\n", "f").error().message,
            "f:1: dates and times are written as strings here");
}

TEST(TomlTest, ReadsEveryKind) {
  const TomlValue document =
      ParseToml("s=\"x\"\nn=1.5\nb=true\nl=[\"a\",\"b\"]\nr=[[1,2],[3]]\nm={k=\"v\"}\ni={k=7}\n",
                "f")
          .value();
  TomlReader reader(document, "f");

  EXPECT_EQ(reader.String("s"), "x");
  EXPECT_EQ(reader.Number("n"), 1.5);
  EXPECT_TRUE(reader.Boolean("b", false));
  EXPECT_EQ(reader.Strings("l"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.IntegerRows("r"), (std::vector<std::vector<std::int64_t>>{{1, 2}, {3}}));
  EXPECT_EQ(reader.StringMap("m"), (std::map<std::string, std::string>{{"k", "v"}}));
  EXPECT_EQ(reader.IntegerMap("i"), (std::map<std::string, std::int64_t>{{"k", 7}}));
  EXPECT_TRUE(reader.status().has_value());
}

}  // namespace
}  // namespace schedlab
