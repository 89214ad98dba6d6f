// The file that a message suggests instead of one that is not there.
#include "formats/files/near_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "formats/files/input.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {
namespace {

using namespace test;

class NearFile : public testing::Test {
 protected:
  void create(const std::string& name) const { std::ofstream(folder_.file(name)) << "x"; }

  /// The name of the suggested file, which is in the same folder.
  std::string near(const std::string& name) const {
    const std::string path = near_file(folder_.file(name));
    const std::string folder = folder_.file("");
    if (path.empty()) return {};
    EXPECT_EQ(path.find(folder), 0u) << path;
    return path.substr(folder.size());
  }

  std::string message(const std::string& path) const {
    return failure_of([&] { const Input input(path); });
  }

  TemporaryFolder folder_;
};

TEST_F(NearFile, IsThatOfTheMinimumEditDistance) {
  for (const char* name : {"points.ply", "pints_of_beer.ply", "query.ply"}) create(name);
  EXPECT_EQ(near("pionts.ply"), "points.ply");
  EXPECT_EQ(near("point.ply"), "points.ply");
  EXPECT_EQ(near("POINTS.PLY"), "points.ply");
  EXPECT_EQ(near("points.pyl"), "points.ply");
  EXPECT_EQ(near("qery.ply"), "query.ply");
  EXPECT_EQ(near("nope.ply"), "");
  EXPECT_EQ(near("pt.ply"), "");
  EXPECT_EQ(near("po.ply"), "");
}

TEST_F(NearFile, IsTheSameStemWithAnotherExtensionBeforeAll) {
  for (const char* name : {"pts.npy", "ptz.ply", "a.csv"}) create(name);
  EXPECT_EQ(near("pts.ply"), "pts.npy");
  EXPECT_EQ(near("pts"), "pts.npy");
  EXPECT_EQ(near("a.ply"), "a.csv");
  EXPECT_EQ(near("b.csv"), "");  // a name of one letter is not near another
}

TEST_F(NearFile, IsTheFirstByNameOfEquals) {
  for (const char* name : {"scan_3.ply", "scan_2.ply", "scan_4.ply"}) create(name);
  EXPECT_EQ(near("scan_1.ply"), "scan_2.ply");
}

TEST_F(NearFile, IsNoFolderNoLinkToNothingAndNotHidden) {
  std::filesystem::create_directory(folder_.file("points"));
  std::filesystem::create_symlink("nothing.ply", folder_.file("points.pcd"));
  create(".points.ply");
  EXPECT_EQ(near("points.ply"), "");
  EXPECT_EQ(near("pionts.ply"), "");
  EXPECT_EQ(near(".pionts.ply"), "");
}

TEST_F(NearFile, IsNoneWhereNoFolderIs) {
  EXPECT_EQ(near("no/points.ply"), "");
  EXPECT_EQ(near_file(""), "");
  EXPECT_EQ(near_file(folder_.file("")), "");
  EXPECT_EQ(near_file(folder_.file("pts.ply") + "/"), "");
}

TEST_F(NearFile, IsInTheMessage) {
  EXPECT_EQ(message(folder_.file("pts.ply")), "3: " + folder_.file("pts.ply") + ": No such file or directory");
  create("pts.xyz");
  EXPECT_EQ(
      message(folder_.file("pts.ply")),
      "3: " + folder_.file("pts.ply") + ": No such file or directory; did you mean '" + folder_.file("pts.xyz") + "'?");
}

TEST_F(NearFile, IsLookedForAmongSoManyEntries) {
  for (const char* name : {"one.ply", "two.ply", "points.ply"}) create(name);
  EXPECT_EQ(near_file(folder_.file("pionts.ply"), 0), "");
  EXPECT_EQ(near_file(folder_.file("pionts.ply"), 3), folder_.file("points.ply"));
}

}  // namespace
}  // namespace kann::formats
