// The methods of kann::transfer(), on arguments that are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kann/transfer.hpp"

namespace kann::attributes {

/// What all methods read.
struct Transfer {
  const PointsView& data;
  const PointsView& queries;
  const Rows& rows;
  std::span<const Attribute> attributes;
  const TransferOptions& options;
  int threads;
  std::span<const std::int32_t> ids = {};  ///< those of the rows

  /// Calls f(id, place) with the neighbours of a query, and their places in its row, until it returns false.
  template <class F>
  void for_each_neighbor(std::int64_t query, F&& f) const {
    const auto [begin, end] = rows.row(query);
    for (std::size_t i = begin; i < end; ++i)
      if (ids[i] != k_missing_id && !f(ids[i], i - begin)) return;
  }
};

/// Refuses what is not as kann::transfer() says, and sets Transfer::ids. @throws Error bad_input, usage.
void check(Transfer& transfer);

/// The most neighbours of a query.
std::int64_t most_neighbors(const Rows& rows);

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
