// Large files of rows of a fixed size, and real clouds, of which every PLY file of the shared folder has the number of
// points that its name gives, read in every way.
#include "formats/points/las/las_support.hpp"
#include "formats/points/samples.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// Rows of a fixed size, as many as the head, the blocks of threads and the chunks of plain rows hold, and one more.
TEST(CloudRows, OfLargeFiles) {
  struct Large {
    const char* name;
    std::size_t record;
    std::string (*file)(int count, const std::string& rows);
    std::string (*row)(int i);
  };
  const auto floats_of = [](int i) { return bytes_of_all<float>({static_cast<float>(i), static_cast<float>(-i), 7}); };
  const Large files[] = {
      {"a.ply", 12, [](int n, const std::string& rows) { return binary_ply(std::to_string(n), rows); }, floats_of},
      {"a.npy", 12,
       [](int n, const std::string& rows) { return npy("'<f4'", "False", "(" + std::to_string(n) + ", 3)", rows); },
       floats_of},
      {"a.fbin", 12, [](int n, const std::string& rows) { return bytes_of(n) + bytes_of(3) + rows; }, floats_of},
      {"a.fvecs", 16, [](int, const std::string& rows) { return rows; },
       [](int i) {
         return bytes_of(3) + bytes_of_all<float>({static_cast<float>(i), static_cast<float>(-i), 7});
       }},
      {"a.kitti", 16, [](int, const std::string& rows) { return rows; },
       [](int i) {
         return bytes_of_all<float>({static_cast<float>(i), static_cast<float>(-i), 7, .5f});
       }},
      {"a.pcd", 13,
       [](int n, const std::string& rows) {
         return pcd("binary", std::to_string(n), rows, "FIELDS i x y z\nSIZE 1 4 4 4\nTYPE U F F F\nCOUNT 1 1 1 1\n");
       },
       [](int i) {
         return 'i' + bytes_of_all<float>({static_cast<float>(i), static_cast<float>(-i), 7});
       }},
      {"a.las", 34,
       [](int n, const std::string& rows) {
         return las({.format = 3, .record = 34, .points = {}, .scale = {1, 1, 1}, .offset = {0, 0, 0}, .count_32 = n}) +
                rows;
       },
       [](int i) {
         return bytes_of_all<int>({i, -i, 7}) + std::string(22, 'p');
       }}};
  const TemporaryFolder folder;
  constexpr std::size_t head = std::size_t{1} << 16, block = std::size_t{1} << 20, chunk = std::size_t{4} << 20;
  for (const Large& large : files)
    for (const std::size_t bytes : {head, block, 3 * block, chunk, head + chunk, 3 * chunk}) {
      const bool is_plain = large.record == 12;
      if (bytes >= chunk && !is_plain) continue;
      const int most = static_cast<int>(bytes / large.record) + 1;
      std::string rows;
      for (int i = 0; i < most; ++i) rows += large.row(i);
      for (const int count : {most - 2, most - 1, most}) {
        const std::string path = folder.file(large.name);
        SCOPED_TRACE(path + " of " + std::to_string(count));
        put_contents(path, large.file(count, rows.substr(0, static_cast<std::size_t>(count) * large.record)));
        if (count == most) {
          EXPECT_EQ(expect_every_way(path, {{.all_attributes = true}}).error, "");
        }
        for (const int threads : {1, 2, 5}) {
          const Points points = read_points(path, {.threads = threads}).points;
          ASSERT_EQ(points.size(), count);
          for (int i = 0; i < count; ++i)
            ASSERT_TRUE(points.at(i, 0) == i && points.at(i, 1) == -i && points.at(i, 2) == 7) << i;
        }
      }
    }
}

const std::filesystem::path k_folder = KANN_SHARED_DATA;

#define SKIP_WITHOUT_CLOUDS() \
  if (!std::filesystem::is_directory(k_folder)) GTEST_SKIP() << k_folder << " is missing: no real clouds to read"

Points read_shared(const std::string& name) { return read_points((k_folder / name).string()).points; }

TEST(RealClouds, HaveThePointsOfTheirNames) {
  SKIP_WITHOUT_CLOUDS();
  int counted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(k_folder)) {
    if (entry.path().extension() != ".ply" && entry.path().extension() != ".las") continue;
    EXPECT_EQ(expect_every_way(entry.path(), {}).error, "");
    EXPECT_EQ(expect_every_way(entry.path(), {{.all_attributes = true, .las_records = true}}).error, "");
    if (entry.path().extension() != ".ply") continue;
    const Cloud cloud = read_points(entry.path().string());
    EXPECT_TRUE(cloud.warnings.empty()) << entry.path();
    const std::string stem = entry.path().stem().string();
    EXPECT_EQ(is_float32(cloud.points), stem.find("_f64_") == std::string::npos) << stem;
    const std::string last = stem.substr(stem.rfind('_') + 1);
    if (last.find_first_not_of("0123456789") != std::string::npos) continue;
    EXPECT_EQ(std::to_string(cloud.points.size()), last) << stem;
    ++counted;
  }
  EXPECT_GE(counted, 8);
}

TEST(RealClouds, KinectFrameKeepsItsInvalidRows) {
  SKIP_WITHOUT_CLOUDS();
  const Numbers c = coordinates_of(read_shared("rgbd_milk_scene_307200.ply"));
  int invalid = 0;
  for (std::size_t i = 0; i < c.size(); i += 3)
    invalid += std::isnan(c[i]) || std::isnan(c[i + 1]) || std::isnan(c[i + 2]);
  EXPECT_EQ(invalid, 65'793);
}

TEST(RealClouds, TheBunnyInAsciiWithFacesIsTheBunnyInBinary) {
  SKIP_WITHOUT_CLOUDS();
  EXPECT_EQ(coordinates_of(read_shared("orig_bun_zipper_ascii_faces.ply")),
            coordinates_of(read_shared("bunny_35947.ply")));
}

TEST(RealClouds, AScalarFieldDoesNotMoveThePoints) {
  SKIP_WITHOUT_CLOUDS();
  EXPECT_EQ(coordinates_of(read_shared("orig_lidar_spin_source_obj_info.ply")),
            coordinates_of(read_shared("lidar_spin_source_69792.ply")));
}

/// The PLY was written by another program.
TEST(RealClouds, AFlightInLasIsTheSameInPlyOfDoubles) {
  SKIP_WITHOUT_CLOUDS();
  const Numbers las = coordinates_of(read_shared("orig_autzen_trim.las"));
  EXPECT_EQ(las.size(), 330'000u);
  EXPECT_TRUE(las == coordinates_of(read_shared("als_autzen_trim_f64_110000.ply")));
}

TEST(MadeClouds, AreTheSameInPlyAndNpy) {
  int pairs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KANN_DATA)) {
    std::filesystem::path npy = entry.path();
    if (entry.path().extension() != ".ply" || !std::filesystem::exists(npy.replace_extension(".npy"))) continue;
    const Points from_ply = read_points(entry.path().string()).points;
    const Points from_npy = read_points(npy.string()).points;
    EXPECT_EQ(from_ply.dimensions, from_npy.dimensions) << npy;
    EXPECT_EQ(coordinates_of(from_ply), coordinates_of(from_npy)) << npy;
    ++pairs;
  }
  EXPECT_GT(pairs, 0);
}

}  // namespace
}  // namespace kann::formats
