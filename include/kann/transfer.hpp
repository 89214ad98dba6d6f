// Transfers attributes from one cloud to another by nearest neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/device.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

namespace kann {

/// How a query's value is made from the values of its neighbours. Values that are not finite are left out, except by
/// `nearest`.
/// - `nearest`: the value of the nearest neighbour.
/// - `mean`: their mean.
/// - `idw`: their mean, weighted by 1 / d² (Shepard 1968), with d in float64 from the coordinates as given, whatever
///   their scale; where neighbours coincide with the query, the mean of these.
/// - `vote`: the most frequent value; among equally frequent ones, the one whose nearest neighbour is nearest.
/// - `rbf`: radial basis functions through the neighbours, with a polynomial (RbfOptions).
enum class TransferMethod { nearest, mean, idw, vote, rbf };

/// φ(r) of the distance r times `epsilon`, as scipy.interpolate.RBFInterpolator names and means them: r² log r, r³, −r,
/// exp(−r²).
enum class RbfKernel { thin_plate_spline, cubic, linear, gaussian };

/// Interpolation by the at most 64 neighbours of each query, as RBFInterpolator(neighbors=k) does it, in float64, from
/// the coordinates as given. With the neighbours' values f, φ between neighbours in K, and in P the monomials up to
/// `degree` of coordinates that are scaled to [−1, 1] along each axis, the value at x is φ(x)ᵀ w + p(x)ᵀ c, where
/// (K + smoothing·I) w + P c = f and Pᵀ w = 0 (Fasshauer 2007, chapters 6 and 19). A degree below 1 for
/// thin_plate_spline or cubic, or below 0 for linear, need not have a solution.
///
/// Where this is not as regular:
/// - Neighbours with the same coordinates are one point, with the mean of their values. With smoothing they are points
///   of their own, as in RBFInterpolator, and no system is singular for them.
/// - Where there are fewer neighbours than monomials, or a pivot of the elimination is no more than n·2⁻⁵² times the
///   largest elements, monomials are left out that are linear combinations of those before them on these neighbours, to
///   2⁻²⁶: z where they lie on a plane. The order is 1, x, y, z, x², xy, xz, y², yz, z². RBFInterpolator raises an
///   exception there. What is left is solved whatever its pivots, as LAPACK solves it for RBFInterpolator: a kernel
///   that is nearly the same at neighbouring points (gaussian with a small epsilon) gives pivots that are small.
/// - Where a pivot is 0, the value is that of `idw`.
/// The last two are counted in TransferResult::singular.
struct RbfOptions {
  RbfKernel kernel = RbfKernel::thin_plate_spline;
  int degree = 1;        ///< degree of the polynomial: −1 (none) to 2
  double smoothing = 0;  ///< added to the diagonal; 0 interpolates
  double epsilon = 1;    ///< scales distances; positive, and so is its square in float64
};

struct TransferOptions {
  TransferMethod method = TransferMethod::nearest;
  RbfOptions rbf;
  /// SearchOptions::periodic of the search that found the neighbours: idw then uses distances to nearest images. rbf
  /// accepts no box.
  std::vector<double> periodic = {};
  Images images = Images::nearest;  ///< SearchOptions::images of that search
  /// The device for rbf; the other methods run on the CPU. `automatic` takes the device that is expected to finish
  /// first.
  DeviceChoice device = {};
  int threads = 0;  ///< CPU threads; 0: all of the machine
};

struct TransferResult {
  /// In the order of the attributes that were given, one value per query; `nearest` and `vote` keep the type, other
  /// methods give float64. A query without neighbours, or without a known value among them, has what
  /// Attribute::missing() says.
  std::vector<Attribute> attributes;
  std::int64_t without_neighbors = 0;  ///< queries without neighbours
  /// Queries of `rbf` for which monomials were left out, or that got the value of `idw`: see RbfOptions.
  std::int64_t singular = 0;
  std::int64_t by_distance = 0;  ///< singular queries that got the value of `idw`
  /// Values of neighbours that mean, idw and rbf leave out, since they are missing or infinite: one per query,
  /// neighbour and attribute.
  std::int64_t nan_values = 0;
};

/// The method for one attribute where `asked` stands for several: whole numbers are classes and counts, of which a mean
/// means nothing, so mean, idw and rbf become `vote` for them, unless they are coordinates
/// (Meaning::coordinate), scan angles, colours or intensities (red, green, blue, nir, alpha, intensity, and names that
/// end in these words, such as diffuse_red), and for text; `vote` becomes `mean` for floats.
TransferMethod transfer_method(const Attribute& attribute, TransferMethod asked);

/// Refuses options that no transfer can accept. @throws Error usage.
void check_transfer_options(const TransferOptions& options);

/// Transfers attributes of the data to the queries. The device and the number of threads do not change the bytes.
/// Blocks.
/// @param rows the neighbours of the queries among the data, such as Neighbors or NeighborLists; ids are rows of the
///        data, in 32 bits, or k_missing_id
/// @param attributes attributes of the data; `vote` needs whole numbers
/// @throws Error usage (options, more than 64 neighbours with rbf), bad_input (sizes that do not match, a type that
///         cannot be voted for), resources, no_device.
TransferResult transfer(const PointsView& data, const PointsView& queries, const Rows& rows,
                        std::span<const Attribute> attributes, const TransferOptions& options = {});

}  // namespace kann
