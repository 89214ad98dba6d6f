// What a page is made of. How the program writes it is tested in ../report/page_test.cpp.
#include "cli/html/html.hpp"

#include <string>

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

TEST(Html, TextHasNoMeaning) {
  EXPECT_EQ(html_text("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;'");
  EXPECT_EQ(html_text("one\ntwo\n"), "one\ntwo\n");
  EXPECT_EQ(html_text("\x1b[31mred\xff"), "\\x1b[31mred\\xff");
  EXPECT_EQ(html_text("größer"), "größer");
  EXPECT_EQ(html_text(""), "");
}

/// The examples of RFC 4648, section 10, and bytes of all values.
TEST(Html, Base64) {
  const std::string text = "foobar", want[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t n = 0; n <= text.size(); ++n) EXPECT_EQ(base64(text.substr(0, n)), want[n]);
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
  EXPECT_EQ(base64(std::string("\0\0\0\0", 4)), "AAAAAA==");
}

}  // namespace
}  // namespace kann::cli
