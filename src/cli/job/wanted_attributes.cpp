#include "cli/job/wanted_attributes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "kann/error.hpp"

#include "base/letter_case.hpp"
#include "base/suggest.hpp"

namespace kann::cli {
namespace {

bool is_transferred(const Options& options, const std::string& name) {
  return std::ranges::count(options.transfer, name) > 0;
}

/// The names of own_attributes_of_picture().
std::vector<std::string> own_names_of_picture(const Options& options) {
  if (!options.picture) return {};
  const std::string by = options.picture_by.value_or("distance");
  const bool is_found = by == "distance" || by == "mean_distance" || by == "density" ||
                        (by == "outlier" && options.outliers) || is_transferred(options, by);
  if (is_found) return {};
  if (!shows_colors(options)) return {by};
  const std::vector<std::string> channels = {"red", "green", "blue"};
  const bool all = std::ranges::all_of(channels, [&](const auto& name) { return is_transferred(options, name); });
  return all ? std::vector<std::string>() : channels;
}

/// The attribute of that name, else the only one of it in another case, among all of a cloud.
const Attribute* find(const Cloud& cloud, const std::string& name, const std::string& file) {
  const auto& all = cloud.attributes;
  const auto exact = std::ranges::find(all, name, &Attribute::name);
  if (exact != all.end()) return &*exact;
  const auto is_alike = [&](const Attribute& a) { return base::equal_in_any_case(a.name, name); };
  if (std::ranges::count_if(all, is_alike) == 1) return &*std::ranges::find_if(all, is_alike);
  std::vector<std::string_view> names;
  for (const Attribute& attribute : all) names.push_back(attribute.name);
  const std::string_view nearest = base::nearest_name(name, names);
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: no attribute '{}'; {}", file, name,
                          nearest.empty() ? fmt::format("it has {} besides its coordinates", names.size())
                                          : fmt::format("did you mean '{}'?", nearest)));
}

/// Attributes of a cloud by their names. Those that were asked for by name are in the order of `asked`.
std::vector<const Attribute*> pick(const Cloud& cloud, const std::vector<std::string>& names, bool has_all,
                                   const std::vector<std::string>& asked, const std::string& file) {
  std::vector<const Attribute*> picked;
  for (const std::string& name : names)
    picked.push_back(has_all
                         ? find(cloud, name, file)
                         : &cloud.attributes[static_cast<std::size_t>(std::ranges::find(asked, name) - asked.begin())]);
  return picked;
}

/// What is asked of a cloud. A cloud that is written needs all attributes of the queries.
ReadOptions wanted_of(const Options& options, bool is_data) {
  ReadOptions wanted;
  const bool is_query = !is_data || options.self_query();
  if (is_data) wanted.attributes = options.transfer;
  if (is_query)
    for (const std::string& name : own_names_of_picture(options))
      if (std::ranges::count(wanted.attributes, name) == 0) wanted.attributes.push_back(name);
  wanted.all_attributes = is_query && options.cloud_format.has_value();
  wanted.las_records = is_query && options.cloud_format == CloudFormat::las;
  return wanted;
}

}  // namespace

void ask_for_attributes(const Options& options, ReadOptions& of_data, ReadOptions& of_query) {
  if (options.grid && !own_names_of_picture(options).empty())
    throw Error(ErrorKind::usage,
                fmt::format("--picture-by {}: the cells of --grid have no attributes of their own; give "
                            "--transfer {}",
                            *options.picture_by, fmt::join(own_names_of_picture(options), ",")));
  const auto ask = [&](bool is_data, ReadOptions& of) {
    ReadOptions wanted = wanted_of(options, is_data);
    of.attributes = std::move(wanted.attributes);
    of.all_attributes = wanted.all_attributes;
    of.las_records = wanted.las_records;
  };
  ask(true, of_data);
  ask(false, of_query);
}

std::vector<const Attribute*> transferred_attributes(const Options& options, const Cloud& data) {
  const ReadOptions wanted = wanted_of(options, true);
  return pick(data, options.transfer, wanted.all_attributes, wanted.attributes, options.data);
}

std::vector<const Attribute*> own_attributes_of_picture(const Options& options, const Cloud& queries) {
  const ReadOptions wanted = wanted_of(options, options.self_query());
  return pick(queries, own_names_of_picture(options), wanted.all_attributes, wanted.attributes,
              options.query.value_or(options.data));
}

bool shows_colors(const Options& options) { return options.picture_by == "rgb" && !is_transferred(options, "rgb"); }

}  // namespace kann::cli
