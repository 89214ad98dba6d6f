// What is to be known of two clouds, beside the points themselves, to judge rows of a search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/points.hpp"

#include "accuracy/coordinates.hpp"
#include "accuracy/written_distance.hpp"

namespace kann::accuracy {

/// In the units of the input.
struct CloudFacts {
  Extent data, queries;
  Middle middle;  ///< of the data
};

/// The facts of clouds that come in blocks.
class FactsOfBlocks {
 public:
  /// @param data_size points of the data, in all blocks
  FactsOfBlocks(int dimensions, std::int64_t data_size) : dimensions_(dimensions), data_size_(data_size) {}

  /// A block of the data, whose first point is number `first`; or of the queries.
  void add_data(std::int64_t first, const PointsView& block);
  void add_queries(const PointsView& block);

  /// What another process has seen, in its blocks of the same clouds.
  void add(const Extent& data, const Extent& queries, std::span<const double> sample);

  const Extent& data() const { return data_; }
  const Extent& queries() const { return queries_; }

  /// Coordinates of some points of the data that were seen; of all blocks, some 65,000 from all over the data.
  const std::vector<double>& sample() const { return sample_; }

  /// Of all that was added.
  CloudFacts facts() const;

 private:
  int dimensions_;
  std::int64_t data_size_;
  Extent data_, queries_;
  std::vector<double> sample_;
};

}  // namespace kann::accuracy
