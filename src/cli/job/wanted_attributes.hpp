// Which attributes of the clouds a job needs, and where they are.
#pragma once

#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/io.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

/// Asks for what transfer, picture and cloud need of the data, and of the queries; in a self-query, the data are both.
/// @throws Error usage: the picture is to show an attribute of the queries, and these are cells of a grid.
void ask_for_attributes(const Options& options, ReadOptions& of_data, ReadOptions& of_query);

/// Those of --transfer, in its order, among those of the data. @throws Error bad_input.
std::vector<const Attribute*> transferred_attributes(const Options& options, const Cloud& data);

/// Those of the queries that the picture shows: one, or red, green and blue; none if it shows what was found.
/// @throws Error bad_input.
std::vector<const Attribute*> own_attributes_of_picture(const Options& options, const Cloud& queries);

/// Whether the picture shows red, green and blue.
bool shows_colors(const Options& options);

}  // namespace kann::cli
