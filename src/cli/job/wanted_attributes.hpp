// How a job reads its clouds: which attributes of them it needs, and where these are then.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/io.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

struct CloudReadOptions {
  ReadOptions data, query;
};

/// How both clouds are read, with what transfer, picture and cloud need of them; in a self-query, the data are both.
/// @throws Error usage: the picture is to show an attribute of the queries, and these are cells of a grid.
CloudReadOptions read_options_of(const Options& options);

/// An attribute of the data, and which name of --transfer it has: `rgb` of PCD stands for three.
struct TransferSource {
  const Attribute* attribute = nullptr;
  std::size_t name = 0;
};

/// Refuses two names of --transfer for one attribute of the data. @throws Error bad_input.
void check_transferred(const Options& options, const Cloud& data);

/// Those of --transfer, in its order, among those of the data.
std::vector<TransferSource> transferred_attributes(const Options& options, const Cloud& data);

/// Those of the queries that the picture shows: one, or red, green and blue; none if it shows what was found.
std::vector<const Attribute*> own_attributes_of_picture(const Options& options, const Cloud& queries);

/// All of the queries but those that were read only since options name them, such as coordinates.
std::span<const Attribute> own_attributes(const Cloud& queries);

/// Whether the picture shows red, green and blue.
bool shows_colors(const Options& options);

}  // namespace kann::cli
