// What messages make of file names with bytes that a terminal would obey.
#include "cli/terminal/log.hpp"

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

TEST(Printable, EscapesControlCharactersAndInvalidBytes) {
  EXPECT_EQ(printable("plain name.ply"), "plain name.ply");
  EXPECT_EQ(printable("café €😀.ply"), "café €😀.ply");
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb\xc2\x80\xc2\x9f"),
            "a\\xc2\\x9b2Jb\\xc2\\x80\\xc2\\x9f");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");  // the first character after C1
  EXPECT_EQ(printable("caf\xe9.ply"), "caf\\xe9.ply");
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

}  // namespace
}  // namespace kann::cli
