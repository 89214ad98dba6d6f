// Clouds to measure on: made in parallel from counters, so that the points depend on kind, size, role and seed alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kann/points.hpp"

namespace kann::bench {

/// Data and queries of one cloud come from the same shapes (blobs, clumps), but are other points.
enum class Role : std::uint64_t { data, queries };

/// `n` points in 3-D, float32. Kinds: uniform (the unit cube), surface (the shell of a bumpy sphere), clusters (1,000
/// Gaussian blobs, σ = 0.01, in the unit cube), and the ugly ones: identical, lattice (integer points, about one place
/// a point), line, outlier (uniform, and one point at 10⁶), clumps (half of the points in 100 clumps of 10⁻⁵).
/// @throws Error usage for another kind.
Points make_cloud(std::string_view kind, std::int64_t n, std::uint64_t seed, Role role = Role::data);

inline const std::vector<std::string> k_clouds = {"uniform", "surface", "clusters"};
inline const std::vector<std::string> k_ugly_clouds = {"identical", "lattice", "line", "outlier", "clumps"};

}  // namespace kann::bench
