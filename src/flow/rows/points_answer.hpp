// The points of a file as products take them, where a search finds no rows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/memory_budget.hpp"
#include "flow/rows/answer.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// An answer whose rows have no neighbours: k is 0. The points are read again.
class PointsAnswer : public Answer {
 public:
  /// The arguments must outlive this object. @param block_points of a block @param memory is charged with blocks
  PointsAnswer(const CloudSource& points, std::int64_t block_points, base::MemoryBudget& memory,
               const ProductShape& products)
      : points_(points), block_points_(block_points), memory_(memory), products_(products) {}

  const Cloud& described_data() const override { return points_.described(); }
  const Cloud& described_queries() const override { return points_.described(); }
  std::int64_t query_count() const override { return points_.size(); }
  std::int64_t blocks() const override {
    return std::max<std::int64_t>(1, (points_.size() + block_points_ - 1) / block_points_);
  }
  void for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const override;
  void for_each_of_data(const std::function<void(const Cloud&)>& f) const override;
  RowBlocks rows() const override {
    return {query_count(), 0, false, [](const RowBlocks::Sink&) {}};
  }

  /// There is nothing to judge. @throws Error internal.
  Accuracy verify(const AccuracyOptions& options) const override;
  Accuracy compare(formats::ReferenceFile& reference, const std::string& name,
                   const AccuracyOptions& options) const override;

 private:
  const CloudSource& points_;
  const std::int64_t block_points_;
  base::MemoryBudget& memory_;
  const ProductShape products_;
};

}  // namespace kann::flow
