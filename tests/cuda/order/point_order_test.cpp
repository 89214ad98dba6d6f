// Complete orders of points, against std::sort by (code, index): one shift, and several at once.
#include "cuda/order/point_order.hpp"

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

cuda::SortedPoints complete_order(cuda::PointOrder& order, const cuda::Shift& shift, const cuda::PointSource& source,
                                  cuda::PlacedPoint* d_placed) {
  while (true)
    if (const auto pending = order.order(shift, source, d_placed); order.is_complete(pending)) return pending.points;
}

/// Each shift of a case by itself.
void expect_complete_orders(const Case& c, int shifts) {
  UploadedCase on_device(c, shifts);
  const problem::Problem& p = on_device.p;
  for (int j = 0; j < shifts; ++j) {
    cuda::PointOrder order(on_device.context, p.data_count);
    const auto d_placed = on_device.poisoned<cuda::PlacedPoint>(p.data_count);
    const cuda::SortedPoints points = complete_order(order, shift_of(p, j), on_device.data_rows(), d_placed.data());
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

TEST_F(PointOrderLarge, OfManyPointsIsThatOfCodeAndIndex) {
  for (const auto& kind : {CloudKind{"uniform", uniform}, {"crowded", crowded}}) {
    const Case c{kind.name, to_points(kind.make((1 << 20) + 1, 3, 94), 3), std::nullopt};
    ASSERT_NO_FATAL_FAILURE(expect_orders_of_a_search(c));
  }
}

}  // namespace
}  // namespace kann::test
