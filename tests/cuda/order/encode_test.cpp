// The keys that kernels make of points, against codes made bit by bit.
#include "cuda/order/encode.hpp"

#include <cstring>
#include <numeric>

#include "cuda/search_context.hpp"

namespace kann {
namespace {

class Encode : public test::GpuTest {};

std::vector<test::Case> clouds() {
  std::vector<test::Case> all;
  for (const int d : {2, 3}) {
    for (auto& c : test::data_cases(257, d, 80)) all.push_back(std::move(c));
    for (const std::int64_t n : {1, 2, 255, 256})
      for (auto& c : test::data_cases(n, d, 81, {test::all_clouds()[0]})) all.push_back(std::move(c));
  }
  return all;
}

/// The points of a case in reverse, as places of another order; their index is no row.
cuda::Buffer<cuda::PlacedPoint> upload_reversed(test::UploadedCase& on_device) {
  const problem::Problem& p = on_device.p;
  std::vector<cuda::PlacedPoint> placed;
  for (std::int64_t i = p.data_count - 1; i >= 0; --i) {
    placed.push_back(test::placed_point(p.data, p.dimensions, static_cast<std::size_t>(i)));
    placed.back().index += 1000;
  }
  return on_device.upload(placed);
}

TEST_F(Encode, PackedKeysAreTheLeadingBitsAndThePlaceInTheSource) {
  for (const auto& c : clouds()) {
    test::UploadedCase on_device(c);
    const problem::Problem& p = on_device.p;
    const auto reversed = upload_reversed(on_device);
    for (const int j : {0, 1, 2})
      for (const int prefix : {1, 32, 40, 63})
        for (const bool placed : {false, true}) {
          const cuda::Shift shift = test::shift_of(p, j);
          const auto layout = cuda::key_layout(p.data_count, shift.bits, cuda::unused_bits(shift), prefix, prefix);
          const auto d_keys = on_device.poisoned<std::uint64_t>(p.data_count);
          const cuda::PointSource source{on_device.context.d_data(), placed ? reversed.data() : nullptr, p.grid};
          cuda::pack_keys(source, p.data_count, shift, layout, d_keys.data(), on_device.context.stream);
          const auto keys = on_device.download(d_keys);
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::size_t row = placed ? keys.size() - 1 - i : i;
            ASSERT_EQ(keys[i], test::morton_prefix(p, row, j, layout.prefix_bits) << layout.payload_bits | i)
                << c.name << " shift " << j << " prefix " << prefix;
          }
        }
  }
}

TEST_F(Encode, PackedHilbertKeysAreTheLeadingBitsOfTheCurve) {
  for (const auto& c : clouds()) {
    test::UploadedCase on_device(c);
    const problem::Problem& p = on_device.p;
    const cuda::Shift curve = cuda::hilbert_curve(p.dimensions);
    for (const int prefix : {1, 2, 31, 32, 40, 60}) {
      const auto layout = cuda::key_layout(p.data_count, curve.bits, 0, prefix, prefix);
      const auto d_keys = on_device.poisoned<std::uint64_t>(p.data_count);
      cuda::pack_keys(on_device.data_rows(), p.data_count, curve, layout, d_keys.data(), on_device.context.stream);
      const auto keys = on_device.download(d_keys);
      for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ(keys[i], test::hilbert_place(p, i) >> (60 - layout.prefix_bits) << layout.payload_bits | i)
            << c.name << " prefix " << prefix;
    }
  }
}

/// `from` (empty: all, as they come) through `make`, which queues the keys; key i must be right_of(from[i]).
template <class Make, class RightOf>
void expect_keys(test::UploadedCase& on_device, const std::vector<std::uint32_t>& from, Make make, RightOf right_of) {
  const std::int64_t count = on_device.p.data_count;
  const auto d_keys = on_device.poisoned<std::uint64_t>(count);
  const auto d_indices = from.empty() ? on_device.poisoned<std::uint32_t>(count) : on_device.upload(from);
  make(from.empty() ? nullptr : d_indices.data(), d_keys.data(), d_indices.data());  // in place
  const auto keys = on_device.download(d_keys);
  const auto indices = on_device.download(d_indices);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t row = from.empty() ? i : from[i];
    ASSERT_EQ(indices[i], row);
    ASSERT_EQ(keys[i], right_of(row)) << "key " << i;
  }
}

TEST_F(Encode, FullKeysAreAllComparedBitsOfThePointsNamed) {
  for (const auto& c : clouds()) {
    test::UploadedCase on_device(c, 5);
    const problem::Problem& p = on_device.p;
    std::vector<std::uint32_t> reversed(static_cast<std::size_t>(p.data_count));
    std::iota(reversed.rbegin(), reversed.rend(), 0u);
    for (const int j : {0, 4})
      for (const int bits : {1, 40, test::code_bits(p)})
        for (const auto& from : {std::vector<std::uint32_t>(), reversed}) {
          cuda::Shift shift = test::shift_of(p, j);
          shift.bits = bits;
          const auto make = [&](const std::uint32_t* d_from, std::uint64_t* d_keys, std::uint32_t* d_indices) {
            cuda::full_keys(on_device.data_rows(), d_from, p.data_count, shift, d_keys, d_indices,
                            on_device.context.stream);
          };
          ASSERT_NO_FATAL_FAILURE(
              expect_keys(on_device, from, make, [&](std::size_t row) { return test::morton_prefix(p, row, j, bits); }))
              << c.name << " shift " << j << " bits " << bits;
        }
  }
}

TEST_F(Encode, WithinCellKeysAreQuartersOfFloat64CoordinatesInterleaved) {
  const auto quarter = [](double x, int part) {
    std::int64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const auto ordered = static_cast<std::uint64_t>(bits) ^ (static_cast<std::uint64_t>(bits >> 63) | 1ull << 63);
    return ordered >> 16 * part & 0xffff;
  };
  for (const int d : {2, 3}) {
    test::UploadedCase on_device(test::data_cases(100, d, 5)[0]);
    std::vector<double> given;
    for (std::int64_t i = 0; i < 100 * d; ++i) given.push_back((i % 2 ? -1 : 1) * (1e6 + i / 7.0));
    const auto d_given = on_device.upload(given);
    cuda::PointSource source = on_device.data_rows();
    source.d_given = d_given.data();
    ASSERT_EQ(cuda::within_cell_parts(source), 4);
    for (int part = 0; part < 4; ++part) {
      const auto make = [&](const std::uint32_t* d_from, std::uint64_t* d_keys, std::uint32_t* d_indices) {
        cuda::within_cell_keys(source, d_from, 100, d, part, d_keys, d_indices, on_device.context.stream);
      };
      ASSERT_NO_FATAL_FAILURE(expect_keys(on_device, {}, make,
                                          [&](std::size_t row) {
                                            std::uint64_t key = 0;
                                            for (int a = 0; a < d; ++a)
                                              for (int bit = 0; bit < 16; ++bit)
                                                key |= (quarter(given[row * d + a], part) >> bit & 1) << (bit * d + a);
                                            return key;
                                          }))
          << d << " " << part;
    }
  }
}

TEST_F(Encode, WithinCellKeysAreHalvesOfTheCoordinatesInterleaved) {
  for (const auto& c : clouds()) {
    test::UploadedCase on_device(c);
    const problem::Problem& p = on_device.p;
    std::vector<std::uint32_t> reversed(static_cast<std::size_t>(p.data_count));
    std::iota(reversed.rbegin(), reversed.rend(), 0u);
    for (const bool high : {false, true})
      for (const auto& from : {std::vector<std::uint32_t>(), reversed}) {
        const auto make = [&](const std::uint32_t* d_from, std::uint64_t* d_keys, std::uint32_t* d_indices) {
          cuda::within_cell_keys(on_device.data_rows(), d_from, p.data_count, p.dimensions, high, d_keys, d_indices,
                                 on_device.context.stream);
        };
        ASSERT_NO_FATAL_FAILURE(expect_keys(on_device, from, make, [&](std::size_t row) {
          const auto [highs, lows] = test::fine_place(p, row);
          return high ? highs : lows;
        })) << c.name;
      }
  }
}

TEST_F(Encode, LeadingKeysAreTheFirstBitsThatUnshiftedCodesUse) {
  for (const auto& c : clouds()) {
    test::UploadedCase on_device(c);
    const problem::Problem& p = on_device.p;
    const int d = p.dimensions;
    for (const bool hilbert : {false, true})
      for (const int bits : {1, 24, 32}) {
        const auto d_keys = on_device.poisoned<std::uint32_t>(p.data_count);
        const auto d_indices = on_device.poisoned<std::uint32_t>(p.data_count);
        cuda::leading_keys(on_device.data_rows(), p.data_count,
                           hilbert ? cuda::hilbert_curve(d) : cuda::morton_curve(d), bits, d_keys.data(),
                           d_indices.data(), on_device.context.stream);
        const auto keys = on_device.download(d_keys), indices = on_device.download(d_indices);
        for (std::size_t i = 0; i < keys.size(); ++i) {
          ASSERT_EQ(indices[i], i);
          ASSERT_EQ(keys[i],
                    hilbert ? test::hilbert_place(p, i) >> (60 - bits) : test::morton_prefix(p, i, 0, d + bits))
              << c.name << " bits " << bits;
        }
      }
  }
}

TEST_F(Encode, CountsSortedKeysThatEqualTheEighthBefore) {
  test::Device device;
  test::Random random(82);
  for (const std::int64_t count : {0, 1, 7, 8, 9, 10, 255, 256, 257, 1000})
    for (const std::uint64_t kinds : {1, 20, 1000000}) {
      std::vector<std::uint32_t> keys(static_cast<std::size_t>(count));
      for (auto& key : keys) key = static_cast<std::uint32_t>(random.below(kinds));
      std::sort(keys.begin(), keys.end());
      std::uint32_t right = 0;
      for (std::size_t i = 8; i < keys.size(); ++i) right += keys[i] == keys[i - 8];
      const auto d_keys = device.upload(keys);
      const auto d_crowded = device.poisoned<std::uint32_t>(1);
      cuda::count_in_crowded_cells(d_keys.data(), count, d_crowded.data(), device.stream());
      ASSERT_EQ(device.download(d_crowded)[0], right) << count << " keys of " << kinds;
    }
}

}  // namespace
}  // namespace kann
