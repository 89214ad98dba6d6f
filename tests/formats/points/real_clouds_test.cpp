// Real clouds: every PLY file of the shared folder has the number of points that its name gives, read in every way.
#include "formats/points/samples.hpp"

namespace kann::formats {

using namespace test;

namespace {

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
