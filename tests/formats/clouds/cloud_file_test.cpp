// CloudFile: the names of its formats, what it checks, and that it is complete or absent.
#include "formats/clouds/clouds_support.hpp"
#include "formats/las/laz.hpp"

namespace kann::formats {

using namespace test;

namespace {

const CloudFormat k_all[] = {CloudFormat::ply, CloudFormat::las, CloudFormat::csv};

TEST(CloudFormats, HaveNames) {
  EXPECT_EQ(cloud_format("ply"), CloudFormat::ply);
  EXPECT_EQ(cloud_format("LAS"), CloudFormat::las);
  EXPECT_EQ(cloud_format("laz"), CloudFormat::laz);
  EXPECT_EQ(cloud_format("Cloud-CSV"), CloudFormat::csv);
  for (const char* const name : {"csv", "", "plyx", "npy"}) EXPECT_EQ(cloud_format(name), std::nullopt) << name;
}

TEST(CloudFiles, AreAbsentUntilTheyAreCommitted) {
  for (const CloudFormat format : k_all) {
    const TemporaryFolder folder;
    put_contents(folder.file("a"), "old");
    {
      CloudFile file(folder.file("a"), format, true);
      file.write(map_points(3), {});
      EXPECT_EQ(contents(folder.file("a")), "old");
    }
    EXPECT_EQ(contents(folder.file("a")), "old");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
    CloudFile file(folder.file("b"), format, false);
    file.write(map_points(3), {});
    CloudFile moved = std::move(file);
    moved.commit();
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "b"}));
  }
}

TEST(CloudFiles, InLazNeedLaszip) {
  if (has_laszip()) GTEST_SKIP() << "this build writes LAZ";
  const TemporaryFolder folder;
  const auto error = error_of([&] { CloudFile(folder.file("a.laz"), CloudFormat::laz, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(error->what(), folder.file("a.laz") + ": LAZ is not written, as this build has no LASzip; write las");
  EXPECT_TRUE(folder.names().empty());
}

TEST(CloudFiles, ThatExistAreNotReplacedUnasked) {
  const TemporaryFolder folder;
  put_contents(folder.file("a"), "old");
  const auto error = error_of([&] { CloudFile(folder.file("a"), CloudFormat::ply, false); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
}

TEST(CloudFiles, AreWrittenOnceAndThenCommitted) {
  const TemporaryFolder folder;
  CloudFile file(folder.file("a"), CloudFormat::csv, false);
  const auto early = error_of([&] { file.commit(); });
  ASSERT_TRUE(early);
  EXPECT_EQ(early->kind(), ErrorKind::internal);
  file.write(map_points(3), {});
  const auto twice = error_of([&] { file.write(map_points(3), {}); });
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->kind(), ErrorKind::internal);
}

TEST(CloudFiles, NeedAValuePerPoint) {
  for (const CloudFormat format : k_all)
    EXPECT_EQ(write_refusal(format, map_points(3), {attribute("a", Array<float>{1, 2})}),
              "a: attribute 'a' has 2 values for 3 points");
}

TEST(CloudFiles, ReportWhatIsWritten) {
  for (const CloudFormat format : {CloudFormat::ply, CloudFormat::las}) {
    const TemporaryFolder folder;
    CloudFile file(folder.file("a"), format, false);
    std::uint64_t last = 0, total = 0;
    file.report_progress([&](std::uint64_t done, std::uint64_t all) {
      EXPECT_GE(done, last);
      last = done;
      total = all;
    });
    file.write(map_points(200'000), {}, nullptr, 1);
    file.commit();
    EXPECT_EQ(last, contents(folder.file("a")).size());
    EXPECT_NEAR(static_cast<double>(total), static_cast<double>(last), 0.01 * static_cast<double>(last));
  }
}

}  // namespace
}  // namespace kann::formats
