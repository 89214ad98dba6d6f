// The exact answer by its definition, one query at a time. Shares no code with the library.
#pragma once

#include <optional>

#include "kann/neighbors.hpp"

#include "search/cloud.hpp"

namespace kann::fuzz {

/// Of each query the k smallest (d², id) of all valid data points, d² = fma(dz, dz, fma(dy, dy, dx·dx)) in float64,
/// ordered by (distance, id), where the distance is the float32 nearest to the root of d². `queries` null: the data
/// are the queries, and without `include_self` no point is its own neighbour. The row of an invalid query is empty.
/// With a radius R, those of which d² > R² are left out of the row, both squares times 2¹²⁰⁰ if R < 2⁻⁴⁰⁰.
Neighbors brute_force(const FuzzCloud& data, const FuzzCloud* queries, std::int64_t k, bool include_self,
                      std::optional<double> radius = {});

}  // namespace kann::fuzz
