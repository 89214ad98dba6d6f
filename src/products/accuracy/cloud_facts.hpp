// Facts about two clouds that are needed, besides the points themselves, to judge rows of a search.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/points.hpp"

#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/written_distance.hpp"

namespace kann::accuracy {

/// All lengths are in the units of the input.
struct CloudFacts {
  Extent data, queries;
  Middle middle;  ///< where most data points are; not measured if both clouds are float32, as nobody needs it then
};

/// The facts of clouds that come in blocks.
class FactsOfBlocks {
 public:
  /// @param data_size the number of data points in all blocks
  FactsOfBlocks(int dimensions, std::int64_t data_size) : dimensions_(dimensions), data_size_(data_size) {}

  /// Adds a block of the data, whose first point has the number `first`, or a block of the queries.
  void add_data(std::int64_t first, const PointsView& block);
  void add_queries(const PointsView& block);

  /// To be called in a self-query, after all blocks of the data.
  void set_queries_to_data() { queries_ = data_; }

  /// The facts about everything that was added. The middle is that of a sample, and does not depend on the blocks.
  CloudFacts facts() const;

 private:
  int dimensions_;
  std::int64_t data_size_;
  Extent data_, queries_;
  std::vector<double> sample_;
};

/// The facts about clouds in memory, which have the same dimensions: what FactsOfBlocks finds, whatever the blocks.
CloudFacts facts_of(const PointsView& data, const PointsView& queries);

}  // namespace kann::accuracy
