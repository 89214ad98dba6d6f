// --group and --other-group: the groups of both clouds, by the values of an attribute.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/groups.hpp"
#include "kann/io.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

struct PointGroups {
  std::vector<std::int64_t> data = {}, queries = {};  ///< `queries` is empty in a self-query
  GroupRule rule = GroupRule::same;
  std::vector<std::int64_t> sets = {};     ///< with --group and --other-group, as Groups has them
  std::vector<std::string> warnings = {};  ///< about points without a group

  Groups view() const { return {data, queries, rule, sets}; }
  Groups of_swapped_clouds() const { return {queries, data, rule, sets}; }  ///< not in a self-query
};

/// Equal values are a group: numbers by their value, whatever their types are, and text letter by letter. What stands
/// for a missing value is none, in a column of text as in one of numbers: NaN, an empty cell, NA and null. Both clouds
/// were read with read_options_of().
/// @throws Error bad_input: the attribute is text in one of the clouds, and the other has numbers.
PointGroups groups_of(const Options& options, const Cloud& data, const Cloud& queries);

}  // namespace kann::cli
