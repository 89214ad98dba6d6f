// Complete orders of points, against std::sort by (code, index): one shift, several at once, and the Hilbert curve; and
// the order of separate queries, sorted by leading bits or, where they are crowded, by all.
#include "cuda/order/point_order.hpp"

#include "cuda/order/query_order.hpp"
#include "cuda/search_context.hpp"

namespace kann::test {
namespace {

class PointOrder : public GpuTest {};
class PointOrderLarge : public GpuTest {};

std::vector<std::uint32_t> morton_order(const problem::Problem& p, int shift) {
  return sorted_by(p.data_count, [&](std::size_t i) { return morton_prefix(p, i, shift, code_bits(p)); });
}

/// The keys of an order must ascend, and hold the leading bits that SortedPoints says of the code code_of(row).
template <class CodeOf>
void expect_keys(UploadedCase& on_device, const cuda::SortedPoints& order, const std::vector<std::uint32_t>& rows,
                 CodeOf code_of) {
  ASSERT_EQ(order.count, on_device.p.data_count);
  const auto keys = on_device.download(order.d_keys, order.count);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_TRUE(i == 0 || keys[i - 1] >> order.key_bit <= keys[i] >> order.key_bit) << i;
    ASSERT_TRUE(order.key_bits == 64 || keys[i] >> order.key_bits == 0) << i;
    ASSERT_EQ(keys[i] >> order.key_bit, code_of(rows[i]) >> order.rest_bits) << i;
  }
}

/// Each shift of a case by itself.
void expect_complete_orders(const Case& c, int shifts) {
  UploadedCase on_device(c, shifts);
  const problem::Problem& p = on_device.p;
  for (int j = 0; j < shifts; ++j) {
    cuda::PointOrder order(on_device.context, p.data_count);
    const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(p.data_count);
    const cuda::SortedPoints points = order.complete_order(shift_of(p, j), on_device.data_rows(), d_placed.data());
    const auto rows = morton_order(p, j);
    ASSERT_EQ(points.d_placed, d_placed.data());
    ASSERT_NO_FATAL_FAILURE(expect_placed(p, rows, on_device.download(d_placed))) << c.name << " shift " << j;
    ASSERT_NO_FATAL_FAILURE(
        expect_keys(on_device, points, rows, [&](std::uint32_t row) { return morton_prefix(p, row, j, code_bits(p)); }))
        << c.name << " shift " << j;
  }
}

/// Three shifts as a search makes them: those after shift 0 from its order, and the keys of each are taken. In a later
/// order, the index of a point is its place in the order of shift 0.
void expect_orders_of_a_search(const Case& c) {
  UploadedCase on_device(c);
  const problem::Problem& p = on_device.p;
  const std::int64_t n = p.data_count;
  cuda::PointOrder order(on_device.context, n, 2);
  cuda::Buffer<cuda::PlacedPoint> d_placed[3];
  cuda::OrderedKeys keys[3];
  for (auto& d_points : d_placed) d_points = on_device.poisoned<cuda::PlacedPoint>(n);
  const std::vector<cuda::Shift> later = {shift_of(p, 1), shift_of(p, 2)};

  bool complete = false;
  while (!complete) {
    complete = true;
    for (int j = 0; j < 3 && complete; ++j) {
      cuda::PointSource source = on_device.data_rows();
      if (j > 0) source.d_placed = d_placed[0].data();
      const auto pending = order.order(shift_of(p, j), source, d_placed[j].data(), j == 2 || order.may_coarsen(),
                                       j == 0 ? std::span<const cuda::Shift>(later) : std::span<const cuda::Shift>());
      keys[j] = order.take_keys(pending.points);
      complete = order.is_complete(pending);
    }
  }

  for (int j = 0; j < 3; ++j) {
    const auto rows = morton_order(p, j);
    ASSERT_NO_FATAL_FAILURE(expect_keys(on_device, keys[j].points, rows,
                                        [&](std::uint32_t row) { return morton_prefix(p, row, j, code_bits(p)); }))
        << c.name << " shift " << j;
  }
  const auto first = on_device.download(d_placed[0]);
  ASSERT_NO_FATAL_FAILURE(expect_placed(p, morton_order(p, 0), first)) << c.name;
  for (const int j : {1, 2}) {
    auto placed = on_device.download(d_placed[j]);
    for (auto& point : placed) {
      ASSERT_LT(point.index, first.size()) << c.name;
      point.index = first[point.index].index;
    }
    ASSERT_NO_FATAL_FAILURE(expect_placed(p, morton_order(p, j), placed)) << c.name << " shift " << j;
  }
}

TEST_F(PointOrder, IsThatOfCodeAndIndex) {
  for (const int d : {2, 3})
    for (const auto& c : data_cases(1025, d, 90)) ASSERT_NO_FATAL_FAILURE(expect_complete_orders(c, 3));
}

TEST_F(PointOrder, IsThatOfCodeAndIndexAtAwkwardSizes) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257})
    for (const auto& c : data_cases(n, 3, 91, tied_clouds())) ASSERT_NO_FATAL_FAILURE(expect_complete_orders(c, 1));
}

TEST_F(PointOrder, OfSeveralShiftsIsMadeFromTheFirst) {
  for (const auto& c : data_cases(1025, 3, 92)) ASSERT_NO_FATAL_FAILURE(expect_orders_of_a_search(c));
}

/// The rows of points that must stand by the codes of their cells on the Hilbert curve, each of the problem's once.
std::vector<std::uint32_t> rows_by_cell(const problem::Problem& p, const std::vector<cuda::PlacedPoint>& placed) {
  std::vector<std::uint32_t> rows;
  for (const auto& point : placed) rows.push_back(point.index);
  expect_placed(p, rows, placed);
  auto sorted = rows;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(sorted[i], i);
    EXPECT_TRUE(i == 0 || hilbert_place(p, rows[i - 1]) <= hilbert_place(p, rows[i])) << "place " << i;
  }
  return rows;
}

TEST_F(PointOrder, AlongTheHilbertCurveIsThatOfItsCellsAndFineWithinCrowdedOnes) {
  for (const int d : {2, 3})
    for (const auto& c : data_cases(4000, d, 93)) {
      UploadedCase on_device(c);
      const problem::Problem& p = on_device.p;
      cuda::PointOrder order(on_device.context, p.data_count);
      const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(p.data_count);
      const auto kept =
          order.take_keys(order.complete_order(cuda::hilbert_curve(d), on_device.data_rows(), d_placed.data()));
      const auto& points = kept.points;
      const auto placed = on_device.download(d_placed);

      const auto rows = rows_by_cell(p, placed);
      ASSERT_EQ(std::ssize(rows), p.data_count) << c.name;
      ASSERT_NO_FATAL_FAILURE(expect_keys(on_device, points, rows, [&](std::uint32_t row) {
        return hilbert_place(p, row);
      })) << c.name;
      if (kept.ordered_within_cells) {
        ASSERT_EQ(rows, sorted_by(p.data_count,
                                  [&](std::size_t i) {
                                    return std::pair{hilbert_place(p, i), fine_place(p, i)};
                                  }))
            << c.name;
      }
      if (d == 3 && c.name.starts_with("crowded")) {
        ASSERT_TRUE(kept.ordered_within_cells) << c.name;
      }
    }
}

TEST_F(PointOrderLarge, OfManyPointsIsThatOfCodeAndIndex) {
  for (const auto& kind : {CloudKind{"uniform", uniform}, {"crowded", crowded}}) {
    const Case c{kind.name, to_points(kind.make((1 << 20) + 1, 3, 94), 3), std::nullopt};
    ASSERT_NO_FATAL_FAILURE(expect_orders_of_a_search(c));
  }
}

class QueryOrder : public GpuTest {};

/// The queries as the data of a problem, for the codes of the tests.
problem::Problem of_queries(const problem::Problem& p) {
  problem::Problem queries = p;
  queries.data = p.queries;
  queries.data_count = p.query_count;
  return queries;
}

/// The leading 32 bits that unshifted codes use.
std::uint64_t leading_code(const problem::Problem& p, std::size_t i, bool hilbert) {
  return hilbert ? hilbert_place(p, i) >> 28 : morton_prefix(p, i, 0, p.dimensions + 32);
}

cuda::Shift curve_of(int d, bool hilbert) { return hilbert ? cuda::hilbert_curve(d) : cuda::morton_curve(d); }

TEST_F(QueryOrder, IsThatOfLeadingBitsAndRows) {
  for (const int d : {2, 3})
    for (const std::int64_t m : {1, 2, 257, 1025})
      for (const auto& c : cases(100, m, d, 95)) {
        if (!c.queries) continue;
        UploadedCase on_device(c);
        const problem::Problem queries = of_queries(on_device.p);
        for (const bool hilbert : {false, true})
          for (const int bits : {24, 32}) {
            const auto code_of = [&](std::size_t i) { return leading_code(queries, i, hilbert) >> (32 - bits); };
            cuda::QuerySorter sorter(on_device.context, curve_of(d, hilbert));
            sorter.sort(bits);
            const auto right = sorted_by(m, code_of);
            if (bits == 32) {
              std::int64_t crowded = 0;
              for (std::size_t i = 8; i < right.size(); ++i) crowded += code_of(right[i]) == code_of(right[i - 8]);
              ASSERT_EQ(sorter.are_crowded(), crowded > m / 16) << c.name;
            }
            ASSERT_EQ(on_device.download(sorter.release_rows()), right) << c.name << " bits " << bits;
          }
      }
}

TEST_F(QueryOrder, PlacesQueriesOnlyWhereTheyAreCrowded) {
  for (const auto& c : cases(500, 500, 3, 96)) {
    if (!c.queries) continue;
    UploadedCase on_device(c);
    const problem::Problem queries = of_queries(on_device.p);
    const auto order = cuda::order_closely(on_device.context, cuda::hilbert_curve(3));
    if (c.name.starts_with("identical")) {
      ASSERT_NE(order.placed.data(), nullptr);
    }
    if (c.name.starts_with("uniform")) {
      ASSERT_EQ(order.placed.data(), nullptr);
    }
    ASSERT_NE(order.placed.data() == nullptr, order.rows.data() == nullptr) << c.name;
    if (order.rows.data()) {
      ASSERT_EQ(on_device.download(order.rows),
                sorted_by(500, [&](std::size_t i) { return leading_code(queries, i, true); }))
          << c.name;
      continue;
    }
    ASSERT_EQ(std::ssize(rows_by_cell(queries, on_device.download(order.placed))), 500) << c.name;
  }
}

}  // namespace
}  // namespace kann::test
