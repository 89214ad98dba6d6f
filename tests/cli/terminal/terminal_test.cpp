// The progress line: figures that people read, never more columns than there are, and how long the rest takes.
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "cli/terminal/progress_text.hpp"
#include "cli/terminal/time_left.hpp"

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

TEST(RateEstimate, IsThatOfTheWorkSinceTheFirst) {
  RateEstimate rate;
  rate.add(100, 5);  // whatever it took to get here
  rate.add(104, 25);
  EXPECT_DOUBLE_EQ(rate.per_second(), 5);
  EXPECT_DOUBLE_EQ(rate.seconds_left(125), 20);
  EXPECT_EQ(rate.seconds_left(25), 0);
  EXPECT_EQ(rate.seconds_left(0), 0);  // the total is not known
}

TEST(RateEstimate, IsNotSaidTooEarly) {
  RateEstimate rate;
  EXPECT_EQ(rate.per_second(), 0);
  EXPECT_EQ(rate.seconds_left(10), 0);
  rate.add(0, 0);
  rate.add(1.9, 5);
  EXPECT_EQ(rate.per_second(), 0);
  EXPECT_EQ(rate.seconds_left(10), 0);
  rate.add(2, 5);
  EXPECT_DOUBLE_EQ(rate.per_second(), 2.5);
}

/// A tree that takes 30 s to build is no part of the rate at which queries are judged.
TEST(RateEstimate, IsNotRaisedByWhatComesBeforeTheFirstWork) {
  RateEstimate rate;
  for (int i = 0; i <= 30; ++i) rate.add(30 + 0.1 * i, 0.001 * i);
  EXPECT_NEAR(rate.seconds_left(1), (1 - 0.03) / 0.01, 1e-6);
}

/// Slow first work, as checks of rows before they are judged, is forgotten after at most 20 s.
TEST(RateEstimate, FollowsTheLastSeconds) {
  RateEstimate rate;
  double seconds = 0, done = 0;
  for (; seconds < 60; seconds += 0.5) rate.add(seconds, done += 0.5);  // 1 per second
  EXPECT_NEAR(rate.per_second(), 1, 1e-9);
  for (; seconds < 80; seconds += 0.5) rate.add(seconds, done += 50);  // 100 per second
  EXPECT_NEAR(rate.per_second(), 100, 1e-6);
}

/// A step that takes longer than that has a rate, too.
TEST(RateEstimate, TakesRareReports) {
  RateEstimate rate;
  rate.add(0, 0);
  rate.add(100, 0.25);
  rate.add(200, 0.5);
  EXPECT_DOUBLE_EQ(rate.seconds_left(1), 200);
}

TEST(TimeLeft, IsInUnitsThatPeopleRead) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(99), "99 s");
  EXPECT_EQ(duration_text(100), "2 min");
  EXPECT_EQ(duration_text(5900), "98 min");
  EXPECT_EQ(duration_text(6000), "2 h");
  EXPECT_EQ(duration_text(86400), "24 h");
}

TEST(MeasuredText, HasThreeDigitsAtMostBelowMinutes) {
  const std::pair<double, const char*> times[] = {
      {0, "0 ms"},           {4.9e-6, "0 ms"},       {5.1e-6, "0.01 ms"},
      {0.64e-3, "0.64 ms"},  {0.9949e-3, "0.99 ms"}, {0.996e-3, "1.0 ms"},
      {6.44e-3, "6.4 ms"},   {9.96e-3, "10 ms"},     {0.128, "128 ms"},
      {0.9994, "999 ms"},    {0.9996, "1.00 s"},     {1.237, "1.24 s"},
      {9.996, "10.0 s"},     {12.44, "12.4 s"},      {99.94, "99.9 s"},
      {99.96, "1 min 40 s"}, {124.2, "2 min 4 s"},   {3599.4, "59 min 59 s"},
      {3599.6, "1 h 0 min"}, {3661, "1 h 1 min"},    {90000, "25 h 0 min"}};
  for (const auto& [seconds, text] : times) EXPECT_EQ(measured_text(seconds), text) << seconds;
}

}  // namespace
}  // namespace kann::cli
