#include "products/accuracy/cloud_facts.hpp"

#include <algorithm>

#include "products/accuracy/distinct_points.hpp"

namespace kann::accuracy {
namespace {

constexpr std::int64_t k_sample = 1 << 16;  // more than measure_middle() needs, since many may be equal

}  // namespace

void FactsOfBlocks::add_data(std::int64_t first, const PointsView& block) {
  data_ = joined(data_, measure(block));
  const std::int64_t step = std::max<std::int64_t>(1, data_size_ / k_sample);
  for (std::int64_t i = (step - first % step) % step; i < block.size(); i += step)
    for (int a = 0; a < dimensions_; ++a) sample_.push_back(block.at(i, a));
}

void FactsOfBlocks::add_queries(const PointsView& block) { queries_ = joined(queries_, measure(block)); }

CloudFacts FactsOfBlocks::facts() const {
  if (data_.is_float32 && queries_.is_float32) return {data_, queries_, {}};
  const PointsView sample(dimensions_, std::span<const double>(sample_));
  const DistinctPoints points = distinct_points(Coordinates(sample, 1), sample.size(), measure(sample), 1);
  return {data_, queries_, measure_middle(points, dimensions_)};
}

CloudFacts facts_of(const PointsView& data, const PointsView& queries) {
  FactsOfBlocks facts(data.dimensions, data.size());
  facts.add_data(0, data);
  facts.add_queries(queries);
  return facts.facts();
}

}  // namespace kann::accuracy
