// The shape of the neighbourhood of each query: its normal, and how linear, flat or round it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"

namespace kann {

/// What is computed from the eigenvalues l1 ≥ l2 ≥ l3 of the covariance C = 1/n Σ (x − m)(x − m)ᵀ of the n points of a
/// neighbourhood with the mean m (Weinmann et al. 2015, section 3.2; Hoppe et al. 1992 for normals).
/// - `normals`: the unit eigenvector of l3, as nx, ny and nz
/// - `curvature`: l3 / (l1 + l2 + l3), the surface variation of Pauly et al. 2002: 0 to 1/3
/// - `linearity`: (l1 − l2) / l1
/// - `planarity`: (l2 − l3) / l1
/// - `sphericity`: l3 / l1
/// - `verticality`: 1 − |nz|
/// - `omnivariance`: the cube root of l1 · l2 · l3, in the squared unit of the coordinates
/// - `density`: of data points, as densities() has it: the row's neighbours per volume of the ball
enum class Feature { normals, curvature, linearity, planarity, sphericity, verticality, omnivariance, density };

/// The names that feature_of() takes, in the order of Feature, for messages.
inline constexpr std::string_view k_features =
    "normals, curvature, linearity, planarity, sphericity, verticality, omnivariance or density";

/// The feature of that name, if there is one.
std::optional<Feature> feature_of(std::string_view name);

/// Which of its two directions a normal gets.
struct NormalOrientation {
  /// Normals look to this point, such as that of the scanner; none: upwards. Where that decides nothing, the last of
  /// nz, ny and nx that is not 0 is positive.
  std::optional<std::array<double, 3>> viewpoint = {};
};

struct FeatureOptions {
  std::vector<Feature> features = {Feature::normals};
  NormalOrientation orientation = {};
  /// The query is a point of its neighbourhood in addition to those of its row: for a self-query, whose rows leave it
  /// out.
  bool with_query = false;
  std::optional<double> radius = {};  ///< DensityBall::radius
  std::vector<double> periodic = {};  ///< SearchOptions::periodic of the search that found the neighbours
  Images images = Images::nearest;    ///< SearchOptions::images of it
  int threads = 0;                    ///< CPU threads; 0: all of the machine
};

struct FeatureResult {
  /// In the order of FeatureOptions::features, one value per query: float32, but float64 for omnivariance and density.
  /// Neighbourhoods of fewer than three points have NaN for all but the density. Points at one place have NaN, too, but
  /// the omnivariance 0. A normal is determined if l2 − l3 exceeds 2⁻⁴⁴ l1; if not, as of points on a line, it is NaN,
  /// and so is the verticality.
  std::vector<Attribute> attributes;
  std::int64_t too_few = 0;       ///< queries whose neighbourhood has fewer than three points
  std::int64_t undetermined = 0;  ///< other queries whose normal is not determined
};

/// The names and types of FeatureResult::attributes, without values.
std::vector<Attribute> feature_columns(std::span<const Feature> features);

/// Computes features of 3-D clouds, in float64 from the coordinates as given, whatever their scale and offset. The
/// bytes do not depend on the number of threads, and those of a query not on other queries. Blocks.
/// @param rows the neighbours of the queries among the data, such as Neighbors or NeighborLists; ids are rows of the
///        data, in 32 bits, or k_missing_id
/// @throws Error usage (options), bad_input (2-D clouds, sizes that do not match), resources.
FeatureResult features(const PointsView& data, const PointsView& queries, const Rows& rows,
                       const FeatureOptions& options = {});

}  // namespace kann
