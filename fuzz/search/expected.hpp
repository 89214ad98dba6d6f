// The answers by their definitions, one query at a time. Share no code with the library, but for where it puts the
// points of the sky, for chords and distances on the sphere, and for the frame in which a shifted sort has the points.
#pragma once

#include "kann/neighbors.hpp"
#include "kann/radius.hpp"

#include "brute_clusters.hpp"
#include "search/search_case.hpp"

namespace kann::fuzz {

/// For each query, the k smallest (d², id) of all valid data points that may be its neighbours, ordered by
/// (distance, id), where d² = fma(dz, dz, fma(dy, dy, dx·dx)) in float64, and the distance is the float32 nearest to
/// its root. The row of an invalid query is empty. With a radius R, those of which d² > R² are left out of the row,
/// both squares times 2¹²⁰⁰ if R < 2⁻⁴⁰⁰. In a box, d² is the smallest of all images, or all of them are neighbours. On
/// the sky, points are unit vectors, and distances their angles. Limits are as Limits says, and a case that has them
/// has no radius of all.
Neighbors expected_rows(const SearchCase& c, const Limits& limits = {});

/// The rows of the shifted sort, where all coordinates are finite, there is no radius, and the definition takes no
/// time.
bool has_plain_shifted_sort(const SearchCase& c);
Neighbors plain_shifted_sort(const SearchCase& c);

/// All neighbours within the radius, and with `is_half` only those whose number is larger than that of the query, and
/// one of two images of the point itself that are equally far.
NeighborLists expected_lists(const SearchCase& c, bool is_half, const Limits& limits = {});

/// The number of the cluster of each point; none where images are so rounded that a point has another within the
/// radius, but is not within that of this one.
std::optional<test::ClusterLabels> expected_clusters(const SearchCase& c);

/// What is wrong with rows of the sky by Vincenty's formula in long double: a distance that is not the angle between
/// the points. Empty: nothing.
std::string wrong_angle(const SearchCase& c, const Neighbors& rows);

}  // namespace kann::fuzz
