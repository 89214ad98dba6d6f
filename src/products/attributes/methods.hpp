// The methods of kann::transfer(), on arguments that are checked.
#pragma once

#include <cstdint>

#include "kann/transfer.hpp"

namespace kann::attributes {

/// What all methods read.
struct Transfer {
  const PointsView& data;
  const PointsView& queries;
  const Neighbors& neighbors;
  std::span<const Attribute> attributes;
  const TransferOptions& options;
  int threads;

  const std::int32_t* ids_of(std::int64_t query) const { return neighbors.ids.data() + query * neighbors.k; }
};

/// Refuses what is not as kann::transfer() says. @throws Error bad_input.
void check(const Transfer& transfer);

/// One value per query, of the attribute's type.
AttributeValues nearest_values(const Transfer& transfer, const Attribute& attribute);
AttributeValues most_frequent_values(const Transfer& transfer, const Attribute& attribute);

struct Means {
  Array<double> values;
  std::int64_t nan_values = 0;
};

/// One value per query, by TransferMethod::mean or idw.
Means weighted_means(const Transfer& transfer, const Attribute& attribute);

/// All attributes at all queries.
TransferResult interpolated_values(const Transfer& transfer);

}  // namespace kann::attributes
