// Device memory is written in sectors of 32 bytes. Where the rows of the results are no multiple of that, neighbouring
// rows share a sector, and queries that are searched for at different times would write parts of it: for 2²³ rows of 17
// neighbours in a random order, that took 1.9 ms of 6.2. So a search writes the whole sectors of a row to their place,
// and the ends of the row, which share their sectors with other rows, to a slot of whole sectors of its own.
// join_row_ends() then brings all ends to their places, row after row.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/runtime/result_rows.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda::exact {

/// The words of 4 bytes in a sector of device memory.
inline constexpr int k_sector_words = 8;

/// How a row divides into whole sectors and what is before and after them, the same for its ids and its distances. Row
/// 1 of rows of 17 has a head of 7 words, a whole sector, and a tail of 2 words. A row of less than 8 words is a tail.
///
/// A head and a tail are the end and the beginning of a sector, each of two halves of four words. The slot has the
/// halves with words of the head of the ids, as many of the head of the distances, and the same for the tails.
struct RowSplit {
  int head;   ///< words before the first whole sector
  int whole;  ///< words in whole sectors
  int tail;   ///< words after them

  KANN_HOST_DEVICE RowSplit(std::uint32_t row, int k)
      : head(k < k_sector_words ? 0 : static_cast<int>((0u - row * static_cast<std::uint32_t>(k)) % k_sector_words)),
        whole((k - head) / k_sector_words * k_sector_words),
        tail(k - head - whole) {}

  /// The words of the halves with `count` words of a head or a tail.
  KANN_HOST_DEVICE static constexpr int in_halves(int count) { return (count + 3) / 4 * 4; }
  KANN_HOST_DEVICE int slot_words() const { return 2 * (in_halves(head) + in_halves(tail)); }
};

/// A slot for the ends of each row, as kernels use it.
struct RowEnds {
  std::uint32_t* d_slots;
  int slot_words;  ///< of a row; 0 if rows are whole sectors
};

/// The words of a slot for the ends of any row: 8 if k < 5 or k is a multiple of 4, up to 32 otherwise; 0 if k is a
/// multiple of 8, whose rows are whole sectors.
int slot_words_for(std::int64_t k);

/// Copies the ends of `count` rows from their slots to their places, before rows that were left are overwritten. Queued
/// on the stream.
void join_row_ends(const RowEnds& ends, std::int64_t count, const ResultRows& rows, cudaStream_t stream);

}  // namespace kann::cuda::exact
