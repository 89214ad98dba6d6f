// Synthetic clouds, made in parallel with counter-based random numbers: they depend only on kind, size, role and seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kann/points.hpp"

namespace kann::bench {

/// The data and the queries of one cloud are different points of the same shapes (clusters, clumps), or what its name
/// says.
enum class Role : std::uint64_t { data, queries };

/// `n` points, float32, in 3-D unless the kind is one of k_planar_clouds. Kinds: uniform (the unit cube), surface (the
/// shell of a bumpy sphere), clusters (1,000 Gaussian clusters, σ = 0.01, in the unit cube), scan (what a laser
/// scanner sees from 32 places in a street), and the ugly ones: identical, lattice (integer points, about one lattice
/// place per point), line, outlier (uniform, and one point at 10⁶), clumps (half of the points in 100 cubes of side
/// 10⁻⁵), and the hard ones: noise (30 % in a plane of side 10⁻⁷, 10⁻¹⁷ about 0), powers (in any direction, by a power
/// of two from 2⁻¹²⁰ to 1), log-wide (10⁻²⁰ … 10¹⁰ on every axis), beside-surface (queries 100 spacings outside),
/// around-surface (queries in its box), above-plane (queries one to two sides above), beside-line (queries ten lengths
/// beside), in-sphere (queries about its centre). In 2-D: square (uniform), blobs (as clusters), streets (2,000 streets
/// up to a fifth of the square long), grid (as lattice). Blocks.
/// @throws Error usage for another kind.
Points make_cloud(std::string_view kind, std::int64_t n, std::uint64_t seed, Role role = Role::data);

inline const std::vector<std::string> k_clouds = {"uniform", "surface", "clusters", "scan"};
inline const std::vector<std::string> k_planar_clouds = {"square", "blobs", "streets", "grid"};
inline const std::vector<std::string> k_ugly_clouds = {"identical", "lattice", "line", "outlier", "clumps"};
inline const std::vector<std::string> k_hard_clouds = {"noise",          "powers",      "log-wide",    "beside-surface",
                                                       "around-surface", "above-plane", "beside-line", "in-sphere"};

}  // namespace kann::bench
