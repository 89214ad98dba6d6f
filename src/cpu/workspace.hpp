// What the steps of one search share: memory for sorting, the queries in order, the rows and times of the answer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kann/array.hpp"

#include "cpu/order/crowded_cells.hpp"
#include "cpu/order/order.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Splits the time of a search among its steps.
class LapTimer {
 public:
  /// Adds the seconds since the last call to `step`.
  void lap(double& step) {
    const auto now = Clock::now();
    step += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// Queries per chunk of a thread. Queries of a chunk are neighbours, so that their candidates share the cache; chunks
/// are smaller where there would be too few for all threads.
inline std::int64_t query_chunk(std::int64_t queries, int threads) {
  constexpr std::int64_t maximum = 1024, teams = 16, chunks_per_thread = 8;
  return std::clamp(queries / (threads * chunks_per_thread) / teams * teams, teams, maximum);
}

/// Bytes per place of a list: long lists grow to twice their size; bounds of the exact method are three floats.
inline constexpr double k_list_bytes = 28;

template <int D>
class Workspace {
 public:
  explicit Workspace(const Problem& problem) : p(problem) {}

  /// Orders a cloud by its Morton codes, and by row where these are equal; with `roughly`, by as many leading bits as
  /// fit beside an index.
  void order(const float* points, std::int64_t count, bool roughly, OrderedCloud<D>& cloud);

  /// Orders a cloud along the Hilbert curve, by `bits_per_axis` that fit beside an index: for searches whose answer
  /// does not depend on the order. Codes have these bits.
  void order_along_hilbert(const float* points, std::int64_t count, int bits_per_axis, OrderedCloud<D>& cloud);

  /// ranks[i] = how many of the table's keys are at most the code of query i of `queries`, moved by `shift`.
  void rank(std::uint64_t shift, const RankTable& table, const OrderedCloud<D>& queries, Array<std::uint32_t>& ranks);

  /// Memory for the rows.
  HostRows allocate_rows();

  /// The result; call it when all rows are written.
  Answer finish();

  /// Bytes of all this, with the orders of both clouds, the result and `lists` lists per thread.
  static double bytes(const Problem& problem, int lists);

  const Problem& p;
  OrderedCloud<D> queries;  // if they are not the data
  ArgSorter sorter;
  Array<std::uint64_t> scratch;  // codes as read, then sort keys; kept, since a fresh page costs more than filling it
  RankTable table;               // over the keys in `scratch`
  Answer answer;
  LapTimer watch;
};

}  // namespace kann::cpu
