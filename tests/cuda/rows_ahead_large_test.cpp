// The values that `on_rows` is called with are those of the result, and an exception from it ends the search.
#include <gtest/gtest.h>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "search/search.hpp"

namespace kann {
namespace {

class CudaRowsAheadLarge : public test::GpuTest {
 protected:
  static constexpr std::int64_t k_queries = 5'000'000;  // 320 MB

  CudaRowsAheadLarge() { options_.device.kind = DeviceKind::cuda; }

  SearchOptions options_;
  Points data_ = test::to_points(test::uniform(100'000, 3, 1), 3);
  Points queries_ = test::to_points(test::uniform(k_queries, 3, 2), 3);
};

TEST_F(CudaRowsAheadLarge, ValuesThatArriveAreFinal) {
  Array<std::int32_t> ids;
  Array<float> distances;
  int calls = 0;
  const auto on_rows = [&](const Neighbors& rows, std::int64_t ids_there, std::int64_t distances_there) {
    ++calls;
    ASSERT_EQ(rows.queries, k_queries);
    ASSERT_GE(ids_there, static_cast<std::int64_t>(ids.size()));
    ASSERT_GE(distances_there, static_cast<std::int64_t>(distances.size()));
    ASSERT_TRUE(distances_there == 0 || ids_there == rows.queries * rows.k);
    ids.insert(ids.end(), rows.ids.begin() + static_cast<std::ptrdiff_t>(ids.size()), rows.ids.begin() + ids_there);
    distances.insert(distances.end(), rows.distances.begin() + static_cast<std::ptrdiff_t>(distances.size()),
                     rows.distances.begin() + distances_there);
  };
  const SearchResult result = detail::search(data_, queries_, options_, on_rows);
  EXPECT_GE(calls, 1);
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), result.neighbors.ids.begin()));
  EXPECT_TRUE(std::equal(distances.begin(), distances.end(), result.neighbors.distances.begin()));

  const SearchResult plain = search(data_, queries_, options_);
  EXPECT_TRUE(result.neighbors.ids == plain.neighbors.ids);
  EXPECT_TRUE(result.neighbors.distances == plain.neighbors.distances);
}

TEST_F(CudaRowsAheadLarge, AnExceptionEndsTheSearchAndTheNextWorks) {
  const auto on_rows = [](const Neighbors&, std::int64_t, std::int64_t) {
    throw Error(ErrorKind::resources, "a.npz: No space left on device");
  };
  try {
    detail::search(data_, queries_, options_, on_rows);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a.npz: No space left on device");
  }
  EXPECT_EQ(search(data_, queries_, options_).neighbors.queries, k_queries);
}

TEST_F(CudaRowsAheadLarge, ASmallResultComesAtOnce) {
  detail::search(data_, data_, options_, [](const Neighbors&, std::int64_t, std::int64_t) { FAIL(); });
}

}  // namespace
}  // namespace kann
