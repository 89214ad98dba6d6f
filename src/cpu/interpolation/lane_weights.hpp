// The weights that radial basis functions give neighbours, for as many queries at a time as a vector has lanes.
//
// The value at a query x is vᵀ A⁻¹ (f, 0), with A = [[K + λI, P], [Pᵀ, 0]] and v the kernel and the monomials at x. A
// is symmetric, so it is wᵀ f, where w are the first components of A⁻¹ v: one solution serves all attributes.
#pragma once

#include <cstdint>

#include "kann/transfer.hpp"

namespace kann::cpu {

/// Lanes of the vector target in use: 1, 4 or 8.
int weight_lanes();

/// Neighbourhoods of one shape, one per lane. Arrays are aligned to 64 bytes.
struct LaneNeighborhoods {
  int points = 0;                       ///< at least 1
  unsigned monomials = 0;               ///< interpolation::monomials_of(), or some of them
  const double* coordinates = nullptr;  ///< points × 3 × lanes; z is 0 in 2-D
  const double* queries = nullptr;      ///< 3 × lanes
};

/// Sets of lanes as bits; the first lane has the lowest bit.
struct LaneFlags {
  std::uint32_t singular = 0;    ///< a pivot is no more than the smallest, or something is not finite
  std::uint32_t coincident = 0;  ///< two points coincide, or are so near that their squared distance is 0
};

/// @param smallest_pivot at least 0
/// @param system for (n + 1) × n × lanes numbers, n rows and columns; its last column has the weights, points × lanes,
///        first
LaneFlags lane_weights(const RbfOptions& options, const LaneNeighborhoods& neighborhoods, double smallest_pivot,
                       double* system);

/// Σ weight · value per lane, fused, from the first point to the last. Returns the lanes that have a value that is not
/// finite. @param values points × lanes
std::uint32_t weighted_sums(int points, const double* weights, const double* values, double* sums);

/// Solves given systems, for tests: see solve_lanes(). Returns the lanes that are regular.
std::uint32_t solve_lane_systems(int n, double smallest_pivot, double* columns);

}  // namespace kann::cpu
