// The frame and grid of a cloud that is read in blocks are those of the same cloud in memory.
#include "tiles/framed_survey.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "comm/threads.hpp"
#include "problem/prepared_data.hpp"
#include "tiles/memory_source.hpp"

namespace kann::tiles {
namespace {

using namespace test;

template <class T>
void expect_frame_in_memory(int dimensions, const std::vector<T>& c, const std::string& what) {
  const MemorySource<T> source(dimensions, c);
  const problem::PreparedData want(source.view(), "cloud", InvalidPoints::skip, 2);
  for (const int count : {1, 2, 5})
    comm::run_on_threads(count, [&](comm::Communicator& ranks) {
      const FramedSurvey got = survey_in_frame(source, InvalidPoints::skip, 500, 1000, 2, ranks);
      EXPECT_EQ(got.survey.valid, want.survey.valid) << what;
      EXPECT_EQ(got.survey.invalid, want.survey.invalid) << what;
      EXPECT_EQ(got.survey.first_invalid, want.survey.first_invalid) << what;
      EXPECT_EQ(got.survey.exact, want.survey.exact) << what;
      EXPECT_EQ(got.in.frame.origin, want.frame.origin) << what;
      EXPECT_EQ(got.in.frame.scale, want.frame.scale) << what;
      EXPECT_EQ(got.in.frame.rounding, want.frame.rounding) << what;
      EXPECT_EQ(got.in.grid.inv, want.grid.inv) << what;
      for (int a = 0; a < 3; ++a) EXPECT_EQ(got.in.grid.lo[a], want.grid.lo[a]) << what;
      EXPECT_LE(got.sample.size(), 500u) << what;
      std::set<std::int64_t> rows;
      for (const PickedPoint& picked : got.sample) {
        rows.insert(picked.row);
        for (int a = 0; a < dimensions; ++a) EXPECT_EQ(picked.point[a], c[picked.row * dimensions + a]) << what;
      }
      EXPECT_EQ(rows.size(), got.sample.size()) << what;
      EXPECT_GE(static_cast<std::int64_t>(rows.size()), std::min<std::int64_t>(want.survey.valid / 20, 150)) << what;
    });
}

TEST(FramedSurvey, IsThatOfACloudInMemory) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {0, 1, 3, 100, 9000}) {
        const std::string what = kind.name + " " + std::to_string(d) + "-D, " + std::to_string(n);
        std::vector<float> c = kind.make(n, d, 5);
        expect_frame_in_memory(d, c, what);
        std::vector<double> wide;
        for (const float x : c) wide.push_back(1e6 + x / 3.0);
        expect_frame_in_memory(d, wide, what + ", float64");
        Random r(6);
        for (float& x : c)
          if (r.below(7) == 0) x = r.below(2) ? NAN : INFINITY;
        for (std::size_t i = 0; i < c.size() / 3; ++i) c[i] = NAN;  // all that some ranks have
        expect_frame_in_memory(d, c, what + ", invalid points");
      }
}

TEST(FramedSurvey, RefusesInvalidPoints) {
  std::vector<float> c = uniform(50, 3, 1);
  c[100] = NAN;
  const MemorySource<float> source(3, c);
  comm::Alone alone;
  try {
    survey_in_frame(source, InvalidPoints::error, 10, 1000, 1, alone);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "cloud: 1 of 50 points have NaN or infinite coordinates (first: 33); use --invalid skip");
  }
}

}  // namespace
}  // namespace kann::tiles
