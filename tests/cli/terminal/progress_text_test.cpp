// The progress line: figures that people read, and never more columns than there are.
#include "cli/terminal/progress_text.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace kann::cli {
namespace {

TEST(ShortNumber, HasThreeDigitsAtMost) {
  const std::pair<double, const char*> numbers[] = {{0, "0"},           {7.4, "7"},           {999, "999"},
                                                    {999.5, "1.0 k"},   {1'234, "1.2 k"},     {9'949, "9.9 k"},
                                                    {9'950, "10 k"},    {123'456, "123 k"},   {999'499, "999 k"},
                                                    {999'500, "1.0 M"}, {8'388'608, "8.4 M"}, {3e9, "3.0 G"},
                                                    {4.2e13, "42 T"},   {1.2e16, "12000 T"}};
  for (const auto& [number, text] : numbers) EXPECT_EQ(short_number(number), text) << number;
}

TEST(AmountText, SaysHowMuchHowFastAndHowLong) {
  EXPECT_EQ(amount_text({120e6, 300e6}, 85e6, 2.1), "120 MB of 300 MB, 85 MB/s, 3 s left");
  EXPECT_EQ(amount_text({120e6, 0}, 85e6, 0), "120 MB, 85 MB/s");  // a pipe
  EXPECT_EQ(amount_text({12, 900}, 0, 0), "12 B of 900 B");
  EXPECT_EQ(amount_text({1.2e6, 8.4e6, "queries"}, 310e3, 23.2), "1.2 M of 8.4 M queries, 310 k/s, 24 s left");
  EXPECT_EQ(amount_text({3, 10, "jobs"}, 0.42, 130), "3 of 10 jobs, 0.4/s, 2 min left");
  EXPECT_EQ(amount_text({3, 10, "jobs"}, 0.01, 700), "3 of 10 jobs, 12 min left");
}

TEST(ProgressLine, ShortensTheNameInTheMiddle) {
  const std::string figures = "120 MB of 300 MB, 85 MB/s, 3 s left";
  EXPECT_EQ(progress_line("kann: read a.ply", figures, 79), "kann: read a.ply: " + figures);
  EXPECT_EQ(progress_line("kann: search", "", 79), "kann: search");
  const std::string name = "kann: read /a/long/folder/of/many/scans/with/long/names/frame_000123.ply";
  EXPECT_EQ(progress_line(name, figures, 79), "kann: read .../long/names/frame_000123.ply: " + figures);
  EXPECT_EQ(progress_line(name, figures, 79).size(), 79u);
}

TEST(ProgressLine, IsNeverWiderThanTheTerminal) {
  const std::string names[] = {"kann: x", "kann: read " + std::string(300, 'a') + ".ply",
                               "kann: read " + std::string(40, '\xe9'), "kann: read 点群/とても長い名前/スキャン.ply"};
  for (const std::string& name : names)
    for (const std::string figures : {"", "120 MB of 300 MB, 85 MB/s, 3 s left"})
      for (std::size_t columns = 0; columns <= 120; ++columns) {
        const std::string line = progress_line(name, figures, columns);
        std::size_t used = 0;  // two for each character of three bytes
        for (const char c : line) {
          const auto byte = static_cast<unsigned char>(c);
          used += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xe1 && name[11] == '\xe7' ? 2 : 1;
        }
        EXPECT_LE(used, columns) << line;
        if (columns >= 70) {
          EXPECT_TRUE(line.ends_with(figures)) << line;
        }
      }
}

}  // namespace
}  // namespace kann::cli
