// Carries attributes from one cloud to another, by nearest neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/device.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

/// How a query's value is made from those of its neighbours.
/// - `nearest`: that of the nearest one.
/// - `mean`: their mean.
/// - `idw`: their mean, weighted by 1 / d² (Shepard 1968), with d as the row has it; where neighbours coincide with the
///   query, the mean of these.
/// - `vote`: the value that most of them have; of several such values, that of the nearest neighbour among theirs.
/// - `rbf`: radial basis functions through the neighbours, with a polynomial (RbfOptions).
enum class TransferMethod { nearest, mean, idw, vote, rbf };

/// φ(r) of the distance r times `epsilon`, as scipy.interpolate.RBFInterpolator names and means them: r² log r, r³, −r,
/// exp(−r²).
enum class RbfKernel { thin_plate_spline, cubic, linear, gaussian };

struct RbfOptions {
  RbfKernel kernel = RbfKernel::thin_plate_spline;
  int degree = 1;        ///< of the polynomial: −1 (none) to 2
  double smoothing = 0;  ///< added to the diagonal; 0 interpolates
  double epsilon = 1;    ///< scales distances; positive
};

struct TransferOptions {
  TransferMethod method = TransferMethod::nearest;
  RbfOptions rbf;
  DeviceChoice device = {DeviceKind::cpu, 0};  ///< of rbf; the others are made on the CPU
  int threads = 0;                             ///< CPU threads; 0: all of the machine
};

struct TransferResult {
  /// In the order of those that were given, one value per query: with `nearest` and `vote` of their types, else
  /// float64. A query without neighbours has NaN, or 0 where values are whole numbers.
  std::vector<Attribute> attributes;
  std::int64_t without_neighbors = 0;  ///< queries
  /// Queries whose system of `rbf` is singular to working precision: their values are those of the written fallback.
  std::int64_t singular = 0;
  std::int64_t nan_values = 0;  ///< values of neighbours that are NaN, which mean, idw, vote and rbf leave out
};

/// Refuses options that no transfer can accept. @throws Error usage.
void check_transfer_options(const TransferOptions& options);

/// The attributes of the data at the queries. The same bytes on every device and with every number of threads. Blocks.
/// @param neighbors of the queries among the data
/// @param attributes of the data; `vote` needs whole numbers
/// @throws Error usage (options), bad_input (sizes that do not match, a type that cannot be voted for), resources,
///         no_device.
TransferResult transfer(const PointsView& data, const PointsView& queries, const Neighbors& neighbors,
                        std::span<const Attribute> attributes, const TransferOptions& options = {});

}  // namespace kann
