// The keys that kernels make of points, against codes made bit by bit; and how they are sorted, against
// std::stable_sort.
#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "cuda/order/encode.hpp"
#include "cuda/order/sort.hpp"
#include "cuda/search_context.hpp"

namespace kann::test {
namespace {

/// A curve, and the whole code that it gives a point, bit by bit.
struct Curve {
  cuda::Shift shift;
  int bits;    ///< of a code
  int unused;  ///< leading bits that are 0 in all codes
  std::function<std::uint64_t(std::size_t row)> code_of;
};

/// The Hilbert curve, and the shifts of a problem.
std::vector<Curve> curves_of(const problem::Problem& p) {
  std::vector<Curve> all = {
      {cuda::hilbert_curve(p.dimensions), 60, 0, [&p](std::size_t row) { return hilbert_place(p, row); }}};
  for (int j = 0; j < p.shifts; ++j)
    all.push_back({shift_of(p, j), code_bits(p), j == 0 ? p.dimensions : 0,
                   [&p, j](std::size_t row) { return morton_prefix(p, row, j, code_bits(p)); }});
  return all;
}

class Encode : public GpuTest {
 protected:
  /// Calls check(on_device) for every cloud, and for some of few points.
  template <class Check>
  static void for_each_cloud(Check check) {
    for (const int d : {2, 3}) {
      auto all = data_cases(257, d, 80);
      for (const std::int64_t n : {1, 2, 255, 256}) all.push_back(data_cases(n, d, 81)[0]);
      for (const Case& c : all) {
        SCOPED_TRACE(c.name);
        UploadedCase on_device(c);
        check(on_device);
        if (HasFatalFailure()) return;
      }
    }
  }

  /// The keys of points, all as they come or those that are named in reverse, through `make`, which queues them; that
  /// of a point must be right_of(row).
  template <class Make, class RightOf>
  static void expect_keys(UploadedCase& on_device, Make make, RightOf right_of) {
    const std::int64_t count = on_device.p.data_count;
    std::vector<std::uint32_t> reversed(static_cast<std::size_t>(count));
    std::iota(reversed.rbegin(), reversed.rend(), 0u);
    for (const bool named : {false, true}) {
      const auto d_keys = on_device.poisoned<std::uint64_t>(count);
      const auto d_indices = named ? on_device.upload(reversed) : on_device.poisoned<std::uint32_t>(count);
      make(named ? d_indices.data() : nullptr, d_keys.data(), d_indices.data());  // in place
      const auto keys = on_device.download(d_keys);
      const auto indices = on_device.download(d_indices);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t row = named ? reversed[i] : i;
        ASSERT_EQ(indices[i], row);
        ASSERT_EQ(keys[i], right_of(row)) << "key " << i;
      }
    }
  }
};

/// The source has the points as rows, or in reverse, as places of another order, whose index is no row.
TEST_F(Encode, PackedKeysAreTheLeadingBitsAndThePlaceInTheSource) {
  for_each_cloud([](UploadedCase& on_device) {
    const problem::Problem& p = on_device.p;
    std::vector<cuda::PlacedPoint> points = placed_points({p.data, p.data + p.data_count * p.dimensions}, p.dimensions);
    std::ranges::reverse(points);
    for (auto& point : points) point.index += 1000;
    const auto reversed = on_device.upload(points);
    for (const Curve& curve : curves_of(p))
      for (const int prefix : {1, 2, 31, 32, 40, 60, 63})
        for (const bool placed : {false, true}) {
          const cuda::Shift& shift = curve.shift;
          const auto layout = cuda::key_layout(p.data_count, shift.bits, cuda::unused_bits(shift), prefix, prefix);
          const auto d_keys = on_device.poisoned<std::uint64_t>(p.data_count);
          const cuda::PointSource source{on_device.context.d_data(), placed ? reversed.data() : nullptr, p.grid};
          cuda::pack_keys(source, p.data_count, shift, layout, d_keys.data(), on_device.stream());
          const auto keys = on_device.download(d_keys);
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint64_t code = curve.code_of(placed ? keys.size() - 1 - i : i);
            ASSERT_EQ(keys[i], code >> (curve.bits - layout.prefix_bits) << layout.payload_bits | i)
                << "shift " << shift.cells << " bits " << shift.bits << " prefix " << prefix;
          }
        }
  });
}

TEST_F(Encode, FullKeysAreAllComparedBitsOfThePointsNamed) {
  for_each_cloud([](UploadedCase& on_device) {
    const problem::Problem& p = on_device.p;
    for (const Curve& curve : curves_of(p))
      for (const int bits : {1, 40, curve.bits}) {
        const auto make = [&](const std::uint32_t* d_from, std::uint64_t* d_keys, std::uint32_t* d_indices) {
          cuda::full_keys(on_device.data_rows(), d_from, p.data_count, cuda::shortened(curve.shift, bits), d_keys,
                          d_indices, on_device.stream());
        };
        ASSERT_NO_FATAL_FAILURE(
            expect_keys(on_device, make, [&](std::size_t row) { return curve.code_of(row) >> (curve.bits - bits); }))
            << "shift " << curve.shift.cells << " bits " << bits;
      }
  });
}

TEST_F(Encode, LeadingKeysAreTheFirstBitsThatUnshiftedCodesUse) {
  for_each_cloud([](UploadedCase& on_device) {
    const std::int64_t count = on_device.p.data_count;
    for (const Curve& curve : curves_of(on_device.p))
      for (const int bits : {1, 24, 32}) {
        if (curve.shift.cells != 0) continue;
        const auto d_keys = on_device.poisoned<std::uint32_t>(count),
                   d_indices = on_device.poisoned<std::uint32_t>(count);
        cuda::leading_keys(on_device.data_rows(), count, curve.shift, bits, d_keys.data(), d_indices.data(),
                           on_device.stream());
        const auto keys = on_device.download(d_keys), indices = on_device.download(d_indices);
        for (std::size_t i = 0; i < keys.size(); ++i) {
          ASSERT_EQ(indices[i], i);
          ASSERT_EQ(keys[i], curve.code_of(i) >> (curve.bits - curve.unused - bits)) << bits << " bits";
        }
      }
  });
}

constexpr std::int64_t k_sizes[] = {0, 1, 2, 255, 256, 257, 4095, 4097};

template <class Key>
Key bits_between(Key key, int begin, int end) {
  const auto below_end = static_cast<Key>(end == 8 * sizeof(Key) ? ~Key{0} : (Key{1} << end) - 1);
  return static_cast<Key>((key & below_end) >> begin);
}

template <class Key>
class PairSorter : public GpuTest {};
using Keys = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PairSorter, Keys);

TYPED_TEST(PairSorter, SortsStablyBySomeBitsAnyNumberOfTimes) {
  using Key = TypeParam;
  constexpr int all = 8 * sizeof(Key);
  Random random(88);
  Device device;
  cuda::PairSorter<Key> sorter(device.pool(), 4097);
  EXPECT_EQ(sorter.capacity(), 4097);
  for (const std::int64_t n : k_sizes)
    for (const auto& [begin, end] : {std::pair{0, all}, {0, 1}, {8, 16}, {5, 27}, {all - 9, all}}) {
      std::vector<Key> keys(static_cast<std::size_t>(n));
      for (Key& key : keys) key = static_cast<Key>(random.below(3) == 0 ? random.below(1000) : random.below(~0ull));
      std::vector<std::uint32_t> order(keys.size());
      std::iota(order.begin(), order.end(), 0u);
      if (n > 0) {
        cuda::check(cudaMemcpyAsync(sorter.keys_in(), keys.data(), keys.size() * sizeof(Key), cudaMemcpyHostToDevice,
                                    device.stream()),
                    "keys");
        cuda::check(cudaMemcpyAsync(sorter.indices_in(), order.data(), order.size() * sizeof(std::uint32_t),
                                    cudaMemcpyHostToDevice, device.stream()),
                    "indices");
      }
      sorter.sort(n, begin, end, device.stream());
      const auto got_keys = device.download(sorter.keys(), n);
      const auto got_indices = device.download(sorter.indices(), n);
      std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return bits_between(keys[i], begin, end); });
      ASSERT_EQ(got_indices, order) << n << " keys by bits " << begin << " to " << end;
      for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(got_keys[i], keys[order[i]]) << n;
    }
  const std::uint32_t* const d_indices = sorter.indices();
  EXPECT_EQ(sorter.release_indices().data(), d_indices);
}

class KeySorter : public GpuTest {};

TEST_F(KeySorter, SortsStablyBySomeBitsIntoOneOfTwoArrays) {
  Random random(89);
  Device device;
  cuda::KeySorter sorter(device.pool(), 4097);
  for (const std::int64_t n : k_sizes)
    for (const auto& [begin, end] : {std::pair{0, 64}, {0, 8}, {23, 63}, {31, 63}, {63, 64}}) {
      std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
      for (auto& key : keys) key = random.below(3) == 0 ? random.below(1000) : random.below(~0ull);
      const auto d_keys = device.upload(keys);
      const auto d_spare = device.poisoned<std::uint64_t>(n);
      const bool in_spare = sorter.sort(d_keys.data(), d_spare.data(), n, begin, end, device.stream());
      std::ranges::stable_sort(keys, {}, [&](std::uint64_t key) { return bits_between(key, begin, end); });
      ASSERT_EQ(device.download(in_spare ? d_spare : d_keys), keys) << n << " keys by bits " << begin << " to " << end;
    }
}

}  // namespace
}  // namespace kann::test
