// The ends of rows, from slots to their places, for rows of any length.
#include "cuda/exact/cells/row_ends.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "cuda/gpu.hpp"

namespace kann {
namespace {

constexpr std::uint32_t k_poison = 0xa5a5a5a5u;

/// Where a word of a row is, as sectors of eight words say: in a whole sector of its row, in the last words of a sector
/// that begins before the row (a head), or in the first words of one that ends after it (a tail).
struct Word {
  bool is_whole;
  std::int64_t place_in_slot;  ///< of an id; that of a distance is `halves` words after it
  std::int64_t halves;

  Word(std::int64_t row, std::int64_t j, std::int64_t k) {
    const std::int64_t begin = row * k, end = begin + k, word = begin + j, sector = word / 8 * 8;
    const std::int64_t heads = k < 8 || begin % 8 == 0 ? 0 : 8 - begin % 8, tails = k < 8 ? k : end % 8;
    is_whole = k >= 8 && sector >= begin && sector + 8 <= end;
    const bool is_head = j < heads;
    const std::int64_t in_heads = heads == 0 ? 0 : heads <= 4 ? 4 : 8;
    halves = is_head ? in_heads : tails <= 4 ? 4 : 8;
    place_in_slot = is_head ? in_heads - heads + j : 2 * in_heads + j - (k - tails);
  }
};

class CudaRowEnds : public test::GpuTest {};

TEST_F(CudaRowEnds, ComeToTheirPlaces) {
  for (std::int64_t k = 1; k <= 64; ++k)
    for (const std::int64_t rows : {1, 2, 7, 8, 9, 127, 128, 129, 255, 257, 1000}) {
      test::Device device;
      const int slot_words = cuda::exact::slot_words_for(k);
      ASSERT_EQ(slot_words == 0, k % 8 == 0) << k;
      ASSERT_EQ(slot_words % 8, 0) << k;
      // Distance i of the rows is i + 1, and id i is −i
      const auto count = static_cast<std::size_t>(rows * k);
      std::vector<std::int32_t> ids(count), before_ids(count, std::bit_cast<std::int32_t>(k_poison));
      std::vector<float> distances(count), before_distances(count, std::bit_cast<float>(k_poison));
      std::vector<std::uint32_t> slots(static_cast<std::size_t>(rows * slot_words), k_poison);
      for (std::int64_t i = 0; i < rows * k; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ids[at] = static_cast<std::int32_t>(-i);
        distances[at] = static_cast<float>(i + 1);
        const Word word(i / k, i % k, k);
        if (word.is_whole) {
          before_ids[at] = ids[at];
          before_distances[at] = distances[at];
        } else {
          const std::int64_t place = i / k * slot_words + word.place_in_slot;
          ASSERT_LT(word.place_in_slot + word.halves, slot_words) << k;
          slots[static_cast<std::size_t>(place)] = std::bit_cast<std::uint32_t>(ids[at]);
          slots[static_cast<std::size_t>(place + word.halves)] = std::bit_cast<std::uint32_t>(distances[at]);
        }
      }
      const auto d_ids = device.upload(before_ids);
      const auto d_distances = device.upload(before_distances);
      const auto d_slots = device.upload(slots);
      cuda::exact::join_row_ends({d_slots.data(), slot_words}, rows, {d_ids.data(), d_distances.data(), k, 1},
                                 device.stream());
      ASSERT_EQ(device.download(d_ids), ids) << "k=" << k << " rows=" << rows;
      ASSERT_EQ(device.download(d_distances), distances) << "k=" << k << " rows=" << rows;
    }
}

}  // namespace
}  // namespace kann
