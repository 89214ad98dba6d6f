// How a job reads its clouds: which of their attributes it needs, and where these are after reading.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

#include "cli/options/options.hpp"
#include "formats/table/read_request.hpp"

namespace kann::cli {

struct CloudReadOptions {
  formats::ReadRequest data, query;
};

/// How both clouds are read, with the attributes that --transfer, --picture and a written cloud need. In a self-query,
/// the data are both clouds.
/// @throws Error usage: the picture is to show an attribute of the queries, and these are cells of a grid.
CloudReadOptions read_options_of(const Options& options);

/// An attribute of the data, and the place in --transfer of the name that asks for it: `rgb` of PCD stands for three
/// attributes.
struct TransferSource {
  const Attribute* attribute = nullptr;
  std::size_t name = 0;
};

/// Refuses two names in --transfer that mean the same attribute of the data, and features of points in a plane.
/// @throws Error bad_input.
void check_data(const Options& options, const Cloud& data);

/// Refuses text where numbers are needed: for a mean, and in a picture. @throws Error bad_input.
void check_texts(const Options& options, const Cloud& data, const Cloud& queries);

/// The columns of a table that say which image of its point a neighbour is: of a box for points of d coordinates, d.
inline constexpr std::array<std::string_view, 3> k_shift_names = {"shift_a", "shift_b", "shift_c"};

/// Whether --keep compares that column of each pair in a table, and not of each query.
inline bool is_of_pairs(const Options& options, std::string_view name) {
  return options.writes_table() && !options.cluster && options.join != Join::anti &&
         (name == "nn_id" || name == "nn_distance");
}

/// Whether a column of that name is made, or can be for --keep and --picture-by; else it is one of the queries.
bool is_made(const Options& options, std::string_view name);

/// Refuses --keep with a column that cannot be compared so, and --attributes with one that cannot be there.
/// @throws Error bad_input.
void check_columns(const Options& options, const Cloud& data, const Cloud& queries);

/// Which queries are chosen when they are read: in a self-query, the data that are.
const Condition& condition_of_queries(const Options& options);

/// Whether a cloud or a table is without some of the queries.
inline bool chooses_queries(const Options& options) { return options.keep || condition_of_queries(options); }

/// The attribute of the queries that a condition names.
const Attribute& own_attribute(const Options& options, const Cloud& queries, const std::string& name);

/// A coordinate of all points, as a column.
Attribute coordinate_of(const PointsView& points, int axis);

/// The attributes of the data that --transfer names, in its order.
std::vector<TransferSource> transferred_attributes(const Options& options, const Cloud& data);

/// The attributes of the queries that the picture shows: one, or red, green and blue; none if it shows what was found.
std::vector<const Attribute*> own_attributes_of_picture(const Options& options, const Cloud& queries);

/// All attributes of the queries, except those that were read only because options name them, such as coordinates.
std::span<const Attribute> own_attributes(const Cloud& queries);

/// What the picture shows: the name of --picture-by, or the default.
std::string shown_in_picture(const Options& options);

/// Whether the picture shows red, green and blue.
bool shows_colors(const Options& options);

}  // namespace kann::cli
