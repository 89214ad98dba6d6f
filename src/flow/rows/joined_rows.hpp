// Rows together with the points that they belong to, which are read from files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kann/io.hpp"

#include "base/memory_budget.hpp"
#include "flow/rows/answer.hpp"
#include "flow/sources/named_points.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// Where the points come from, and what takes memory.
struct JoinedClouds {
  const CloudSource &data, &queries;
  ProductShape products;       ///< what is made of each block
  base::MemoryBudget& memory;  ///< is charged with blocks
  int threads;
};

class JoinedRows {
 public:
  /// The arguments must outlive this object.
  /// @param most neighbours in a block, with those that `wanted` adds
  JoinedRows(const JoinedClouds& clouds, const Wanted& wanted, std::int64_t most,
             const std::function<void(const AnswerBlock&)>& f);

  /// Bytes of memory per row of a block, beside the rows as they come: its neighbours, and the point, if it is wanted.
  /// NamedPoints has the points of the data.
  static double row_bytes(double k, double wanted_query) {
    return k * (sizeof(std::int32_t) + sizeof(float)) + wanted_query;
  }

  /// Calls f() with the block of these rows, of k neighbours, which begin with that of query number `first`. Blocks.
  /// @throws Error bad_input, resources, and what f throws.
  void pass(const Rows& rows);

 private:
  const JoinedClouds& clouds_;
  const Wanted& wanted_;
  const std::function<void(const AnswerBlock&)>& f_;
  std::optional<NamedPoints> named_;
  std::int64_t number_ = 0;
};

/// AnswerBlocks::for_each_of_data().
void for_each_of_data(const JoinedClouds& clouds, const std::function<void(const Cloud&)>& f);

}  // namespace kann::flow
