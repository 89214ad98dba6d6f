// Clouds written as LAZ are those that were read; laz_test.py reads them with laspy.
#include <unistd.h>

#include "kann/cloud_file.hpp"

#include "formats/laz/laz_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

TEST(WriteLaz, IsWhatWasRead) {
  for (const std::string& cloud : clouds()) {
    const Cloud las = read_points(cloud + ".las", {.las_records = true});
    const std::string path = cloud + ".written.laz";
    fs::remove(path);
    CloudFile out(path, CloudFormat::laz, true);
    out.write(las.points, {}, las.las.get());
    out.commit();
    EXPECT_EQ(comparable(whole(path, k_reads[2])).records, whole(cloud + ".las", k_reads[2]).records) << cloud;
    fs::rename(path, cloud + ".written");
  }
}

TEST(WriteLaz, ToAStreamIsTheSameButForThePlaceOfTheTable) {
  const Cloud cloud = read_points((folder() / "f3_50001.las").string(), {.las_records = true});
  const TemporaryFolder place;
  const std::string path = place.file("a.laz"), seekable = place.file("b.laz");
  const std::string pipe = fifo(place, "cat {} >" + path);
  for (const std::string& to : {pipe, seekable}) {
    CloudFile out(to, CloudFormat::laz, true);
    out.write(cloud.points, {}, cloud.las.get());
    out.commit();
  }
  std::string streamed;
  const std::string stored = contents(seekable);
  for (int wait = 0; wait < 500 && streamed.size() < stored.size() + 8; ++wait) {
    streamed = contents(path);
    usleep(10'000);
  }
  EXPECT_EQ(whole(path, k_reads[2]), whole(seekable, k_reads[2]));
  const std::size_t begin = parse_las_header(stored, "b").begin;
  EXPECT_EQ(streamed.substr(begin + 8), stored.substr(begin + 8) + stored.substr(begin, 8));
}

TEST(WriteLaz, ACloudThatIsNoLas) {
  const TemporaryFolder place;
  for (const std::int64_t n : {0, 1, 50'001}) {
    Points points{3, Array<double>()};
    for (std::int64_t i = 0; i < 3 * n; ++i)
      std::get<Array<double>>(points.coordinates).push_back(static_cast<double>(i * 7919 % 100'000) / 100);
    const std::vector<Attribute> attributes = {{"weight", Array<float>(static_cast<std::size_t>(n), 0.5f)}};
    for (const CloudFormat format : {CloudFormat::las, CloudFormat::laz}) {
      CloudFile out(place.file(format == CloudFormat::las ? "a.las" : "a.laz"), format, true);
      out.write(points, attributes);
      out.commit();
    }
    EXPECT_EQ(whole(place.file("a.laz"), k_reads[2]), whole(place.file("a.las"), k_reads[2])) << n;
  }
}

TEST(WriteLaz, ExtendedRecordsFollowThePoints) {
  const std::string path = (folder() / "f6_3.las").string();
  Cloud cloud = read_points(path, {.las_records = true});
  LasRecords las = *cloud.las;
  las.extended = std::string(60, '\0') + "after the points";
  las.extended.replace(2, 4, "user");
  las.extended.replace(20, 1, "\x10");
  las.extended_count = 1;
  const TemporaryFolder place;
  for (const char* name : {"a.las", "a.laz"}) {
    CloudFile out(place.file(name), *cloud_format(std::string(name).substr(2)), true);
    out.write(cloud.points, {}, &las);
    out.commit();
  }
  const Cloud again = read_points(place.file("a.laz"), {.las_records = true});
  EXPECT_EQ(again.las->extended, las.extended);
  EXPECT_TRUE(again.warnings.empty());
  EXPECT_EQ(comparable(whole(place.file("a.laz"), k_reads[2])), comparable(whole(place.file("a.las"), k_reads[2])));

  CloudFile stream("/dev/null", CloudFormat::laz, true);
  const auto error = error_of([&] { stream.write(cloud.points, {}, &las); });
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(),
               "/dev/null: LAZ with extended variable length records cannot be written to a stream; name a file, or "
               "write las");
  EXPECT_EQ(error->kind(), ErrorKind::resources);
}

TEST(WriteLaz, AFullDiskIsAnError) {
  const Cloud cloud = read_points((folder() / "f3_50001.las").string(), {.las_records = true});
  CloudFile full("/dev/full", CloudFormat::laz, true);
  const auto error = error_of([&] {
    full.write(cloud.points, {}, cloud.las.get());
    full.commit();
  });
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "/dev/full: No space left on device");
}

}  // namespace
}  // namespace kann::formats
