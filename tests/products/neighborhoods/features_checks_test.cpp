// What features() refuses.
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "plain_features.hpp"

namespace kann::test {
namespace {

std::string message_of(const std::function<void()>& f, ErrorKind kind) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    return e.what();
  }
  return "";
}

class FeaturesRefuse : public testing::Test {
 protected:
  std::string usage(const FeatureOptions& options) const {
    return message_of([&] { features(cloud, cloud, rows, options); }, ErrorKind::usage);
  }
  template <class Rows>
  std::string bad(const PointsView& queries, const Rows& given) const {
    return message_of([&] { features(cloud, queries, given); }, ErrorKind::bad_input);
  }

  const Points cloud = to_points(uniform(30, 3, 1), 3);
  const Neighbors rows = search_self(cloud, exact_search(4)).neighbors;
};

TEST_F(FeaturesRefuse, Options) {
  EXPECT_EQ(usage({.threads = -1}), "features: threads must be 0 (all) or more, not -1");
  EXPECT_EQ(usage({.orientation = {{{0, std::numeric_limits<double>::infinity(), 0}}}}),
            "features: the viewpoint must be finite");
  EXPECT_EQ(usage({.periodic = {1, 1}}), "features: 2 numbers of a periodic box for points of 3 coordinates");
  EXPECT_EQ(usage({.periodic = {1, 1, -1}}),
            "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ "
            "behind them if the box is slanted, or three vectors, got '1,1,-1'");
  EXPECT_EQ(usage({.images = Images::all}), "--images all needs --periodic, which says where they are");
}

TEST_F(FeaturesRefuse, RowsThatDoNotFit) {
  const Points flat = to_points(uniform(30, 2, 1), 2);
  EXPECT_EQ(bad(flat, rows), "features: they are those of points of 3 coordinates, not 2");
  EXPECT_EQ(bad(to_points(uniform(29, 3, 1), 3), rows), "features: 30 rows of neighbours for 29 queries");
  Neighbors wrong = rows;
  wrong.ids[7] = 30;
  EXPECT_EQ(bad(cloud, wrong),
            "features: neighbour 30 is none of the 30 data points: are these the neighbours among other data?");
  wrong.ids.pop_back();
  EXPECT_EQ(bad(cloud, wrong), "features: 30 rows of 4 neighbours do not match 119 ids and 120 distances");
  NeighborLists lists{{0, 2, 1, 3}, {1, 2, 0}, {1, 1, 1}};
  const Points three = to_points(uniform(3, 3, 1), 3);
  EXPECT_EQ(bad(three, lists), "features: the lists end at neighbour 3, but there are 3 ids and 3 distances");
  lists.begins[2] = 2;
  EXPECT_EQ(bad(three, lists), "");
  lists.ids.pop_back();
  EXPECT_EQ(bad(three, lists), "features: the lists end at neighbour 3, but there are 2 ids and 3 distances");
}

}  // namespace
}  // namespace kann::test
