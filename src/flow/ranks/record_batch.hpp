// Many records of one size, made by several threads and sorted by where they go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "kann/array.hpp"

#include "base/memory_budget.hpp"
#include "base/resize_fresh.hpp"
#include "base/threads/parallel.hpp"

namespace kann::flow {

/// The memory is kept from batch to batch.
class RecordBatch {
 public:
  static constexpr std::uint32_t k_nowhere = ~std::uint32_t{0};

  /// @param memory is charged with what the largest batch takes
  RecordBatch(std::size_t record_bytes, int threads, base::MemoryBudget* memory = nullptr)
      : record_bytes_(record_bytes), threads_(threads), charge_(memory, 0) {}

  /// Bytes of memory of a batch: the records, the destination of each, and where those of each destination begin, which
  /// each thread counts.
  static double bytes(double records, double record_bytes, double destinations, int threads) {
    const double counts = std::min(destinations * (threads + 1), destinations + 4 * records);
    return records * (record_bytes + sizeof(std::uint32_t)) + counts * sizeof(std::size_t);
  }

  /// Replaces the batch: for each i of [0, count), destination(i), below `destinations` or k_nowhere, says where its
  /// record goes, and write(i, bytes) makes it. Records for one destination keep their order. By several threads.
  /// @throws what these functions throw
  template <class Destination, class Write>
  void make(std::int64_t count, std::uint32_t destinations, Destination destination, Write write);

  /// Calls f(destination, records) for each destination that has some, from several threads. @throws what f throws.
  template <class F>
  void for_each_group(F f) const {
    base::parallel_chunks(std::ssize(first_) - 1, 1, threads_, [&](std::int64_t to, std::int64_t) {
      const std::size_t first = first_[static_cast<std::size_t>(to)], end = first_[static_cast<std::size_t>(to) + 1];
      if (end > first)
        f(static_cast<std::uint32_t>(to),
          std::span<const std::byte>(bytes_).subspan(first * record_bytes_, (end - first) * record_bytes_));
    });
  }

 private:
  std::size_t record_bytes_;
  int threads_;
  std::vector<std::uint32_t> to_;
  std::vector<std::size_t> first_;  // record of each destination; and how many there are
  std::vector<std::size_t> place_;  // where the next record of each destination goes, by blocks of threads
  Array<std::byte> bytes_;
  base::MemoryCharge charge_;
  double most_ = 0;  // bytes of the largest batch so far
};

template <class Destination, class Write>
void RecordBatch::make(std::int64_t count, std::uint32_t destinations, Destination destination, Write write) {
  most_ =
      std::max(most_, bytes(static_cast<double>(count), static_cast<double>(record_bytes_), destinations, threads_));
  charge_.resize(most_);
  // Where counters would outnumber the records, one thread counts
  const int blocks = static_cast<std::int64_t>(destinations) * threads_ <= 4 * count ? threads_ : 1;
  to_.resize(static_cast<std::size_t>(count));
  place_.assign(static_cast<std::size_t>(blocks) * destinations, 0);
  base::parallel_blocks(count, threads_, [&](int, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to_[static_cast<std::size_t>(i)] = destination(i);
  });
  const auto for_each = [&](auto f) {
    base::parallel_blocks(count, blocks, [&](int block, std::int64_t begin, std::int64_t end) {
      std::size_t* const place = place_.data() + static_cast<std::size_t>(block) * destinations;
      for (std::int64_t i = begin; i < end; ++i)
        if (const std::uint32_t to = to_[static_cast<std::size_t>(i)]; to != k_nowhere) f(i, place[to]);
    });
  };
  for_each([](std::int64_t, std::size_t& records) { ++records; });
  first_.resize(std::size_t{destinations} + 1);
  std::size_t next = 0;
  for (std::uint32_t to = 0; to < destinations; ++to) {
    first_[to] = next;
    for (int block = 0; block < blocks; ++block) {
      std::size_t& place = place_[static_cast<std::size_t>(block) * destinations + to];
      next += std::exchange(place, next);
    }
  }
  first_[destinations] = next;
  base::resize_fresh(bytes_, static_cast<std::int64_t>(next * record_bytes_));
  for_each([&](std::int64_t i, std::size_t& place) {
    write(i, std::span(bytes_).subspan(place++ * record_bytes_, record_bytes_));
  });
}

}  // namespace kann::flow
