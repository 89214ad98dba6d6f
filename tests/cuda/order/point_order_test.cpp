// Complete orders of points, against std::sort by (code, index): one shift, several at once, and the Hilbert curve.
#include "cuda/order/point_order.hpp"

#include "cuda/order/query_order.hpp"
#include "cuda/search_context.hpp"

namespace kann {
namespace {

class PointOrder : public test::GpuTest {};
class PointOrderLarge : public test::GpuTest {};

std::vector<std::uint32_t> morton_order(const problem::Problem& p, int shift) {
  return test::sorted_by(p.data_count,
                         [&](std::size_t i) { return test::morton_prefix(p, i, shift, test::code_bits(p)); });
}

/// The keys of an order must ascend, and hold the leading bits that SortedPoints says of the code code_of(row).
template <class CodeOf>
void expect_keys(test::UploadedCase& on_device, const cuda::SortedPoints& order, const std::vector<std::uint32_t>& rows,
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
void expect_complete_orders(const test::Case& c, int shifts) {
  test::UploadedCase on_device(c, shifts);
  const problem::Problem& p = on_device.p;
  for (int j = 0; j < shifts; ++j) {
    cuda::PointOrder order(on_device.context, p.data_count);
    const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(p.data_count);
    const cuda::SortedPoints points =
        order.complete_order(test::shift_of(p, j), on_device.data_rows(), d_placed.data());
    const auto rows = morton_order(p, j);
    ASSERT_EQ(points.d_placed, d_placed.data());
    ASSERT_NO_FATAL_FAILURE(test::expect_placed(p, rows, on_device.download(d_placed))) << c.name << " shift " << j;
    ASSERT_NO_FATAL_FAILURE(expect_keys(
        on_device, points, rows, [&](std::uint32_t row) { return test::morton_prefix(p, row, j, test::code_bits(p)); }))
        << c.name << " shift " << j;
  }
}

/// Three shifts as a search makes them: those after shift 0 from its order, and the keys of each are taken. In a later
/// order, the index of a point is its place in the order of shift 0.
void expect_orders_of_a_search(const test::Case& c) {
  test::UploadedCase on_device(c);
  const problem::Problem& p = on_device.p;
  const std::int64_t n = p.data_count;
  cuda::PointOrder order(on_device.context, n, 2);
  cuda::Buffer<cuda::PlacedPoint> d_placed[3];
  cuda::OrderedKeys keys[3];
  for (auto& d_points : d_placed) d_points = on_device.poisoned<cuda::PlacedPoint>(n);
  const std::vector<cuda::Shift> later = {test::shift_of(p, 1), test::shift_of(p, 2)};

  bool complete = false;
  while (!complete) {
    complete = true;
    for (int j = 0; j < 3 && complete; ++j) {
      cuda::PointSource source = on_device.data_rows();
      if (j > 0) source.d_placed = d_placed[0].data();
      const auto pending = order.order(test::shift_of(p, j), source, d_placed[j].data(), j == 2 || order.may_coarsen(),
                                       j == 0 ? std::span<const cuda::Shift>(later) : std::span<const cuda::Shift>());
      keys[j] = order.take_keys(pending.points);
      complete = order.is_complete(pending);
    }
  }

  for (int j = 0; j < 3; ++j) {
    const auto rows = morton_order(p, j);
    ASSERT_NO_FATAL_FAILURE(
        expect_keys(on_device, keys[j].points, rows,
                    [&](std::uint32_t row) { return test::morton_prefix(p, row, j, test::code_bits(p)); }))
        << c.name << " shift " << j;
  }
  const auto first = on_device.download(d_placed[0]);
  ASSERT_NO_FATAL_FAILURE(test::expect_placed(p, morton_order(p, 0), first)) << c.name;
  for (const int j : {1, 2}) {
    auto placed = on_device.download(d_placed[j]);
    for (auto& point : placed) {
      ASSERT_LT(point.index, first.size()) << c.name;
      point.index = first[point.index].index;
    }
    ASSERT_NO_FATAL_FAILURE(test::expect_placed(p, morton_order(p, j), placed)) << c.name << " shift " << j;
  }
}

TEST_F(PointOrder, IsThatOfCodeAndIndex) {
  for (const int d : {2, 3})
    for (const auto& c : test::data_cases(1025, d, 90)) ASSERT_NO_FATAL_FAILURE(expect_complete_orders(c, 3));
}

TEST_F(PointOrder, IsThatOfCodeAndIndexAtAwkwardSizes) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 255, 256, 257})
    for (const auto& c : test::data_cases(n, 3, 91, test::tied_clouds()))
      ASSERT_NO_FATAL_FAILURE(expect_complete_orders(c, 1));
}

TEST_F(PointOrder, OfSeveralShiftsIsMadeFromTheFirst) {
  for (const auto& c : test::data_cases(1025, 3, 92)) ASSERT_NO_FATAL_FAILURE(expect_orders_of_a_search(c));
}

TEST_F(PointOrder, AlongTheHilbertCurveIsThatOfItsCellsAndFineWithinCrowdedOnes) {
  for (const int d : {2, 3})
    for (const auto& c : test::data_cases(4000, d, 93)) {
      test::UploadedCase on_device(c);
      const problem::Problem& p = on_device.p;
      cuda::PointOrder order(on_device.context, p.data_count);
      const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(p.data_count);
      const auto kept =
          order.take_keys(order.complete_order(cuda::hilbert_curve(d), on_device.data_rows(), d_placed.data()));
      const auto& points = kept.points;
      const auto placed = on_device.download(d_placed);

      // Every point once, by the code of its cell
      std::vector<std::uint32_t> rows;
      for (const auto& point : placed) rows.push_back(point.index);
      ASSERT_NO_FATAL_FAILURE(test::expect_placed(p, rows, placed)) << c.name;
      ASSERT_NO_FATAL_FAILURE(expect_keys(on_device, points, rows, [&](std::uint32_t row) {
        return test::hilbert_place(p, row);
      })) << c.name;
      for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_LE(test::hilbert_place(p, rows[i - 1]), test::hilbert_place(p, rows[i])) << c.name;
      if (kept.ordered_within_cells) {
        ASSERT_EQ(rows, test::sorted_by(p.data_count,
                                        [&](std::size_t i) {
                                          return std::pair{test::hilbert_place(p, i), test::fine_place(p, i)};
                                        }))
            << c.name;
      }
      if (d == 3 && c.name.starts_with("crowded")) {
        ASSERT_TRUE(kept.ordered_within_cells) << c.name;
      }
      std::ranges::sort(rows);
      for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i) << c.name;
    }
}

TEST_F(PointOrderLarge, OfManyPointsIsThatOfCodeAndIndex) {
  for (const auto& kind : {test::CloudKind{"uniform", test::uniform}, {"crowded", test::crowded}}) {
    const test::Case c{kind.name, test::to_points(kind.make((1 << 20) + 1, 3, 94), 3), std::nullopt};
    ASSERT_NO_FATAL_FAILURE(expect_orders_of_a_search(c));
  }
}

}  // namespace
}  // namespace kann
