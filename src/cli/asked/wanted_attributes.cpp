#include "cli/asked/wanted_attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <span>

#include "kann/error.hpp"

#include "base/printable.hpp"
#include "cli/asked/query_limits.hpp"

namespace kann::cli {
namespace {

/// The columns that options ask for, but --keep.
std::vector<std::string> asked_names(const Options& o) {
  std::vector<std::string> names = feature_column_names(o);
  if (o.outliers) names.insert(names.begin(), "outlier");
  std::ranges::copy(o.transfer, std::back_inserter(names));
  return names;
}

/// The columns that are made, or can be.
std::vector<std::string> made_names(const Options& o) {
  std::vector<std::string> names = {"cluster"};
  if (!o.cluster) names = {"nn_id", "nn_distance", "neighbours"};
  if (!o.cluster && !o.has_one_neighbor()) names.insert(names.end(), {"mean_distance", "density", "median_distance"});
  std::ranges::copy(asked_names(o), std::back_inserter(names));
  if (o.grid) names.insert(names.end(), {"x", "y", "z"});  // coordinates of its cells
  return names;
}

bool is_transferred(const Options& options, const std::string& name) {
  return std::ranges::count(options.transfer, name) > 0;
}

/// The names of own_attributes_of_picture().
std::vector<std::string> own_names_of_picture(const Options& options) {
  if (!options.draws()) return {};
  const std::string by = shown_in_picture(options);
  const bool is_own = by.starts_with("nn_") || (options.grid && by.size() == 1 && !is_transferred(options, by));
  if (by == "distance" || (is_made(options, by) && !is_own)) return {};
  if (!shows_colors(options)) return {by};
  const std::vector<std::string> channels = {"red", "green", "blue"};
  const bool all = std::ranges::all_of(channels, [&](const auto& name) { return is_transferred(options, name); });
  return all ? std::vector<std::string>() : channels;
}

/// The columns that --keep names and the queries have.
std::vector<std::string> own_names_of_keep(const Options& options) {
  std::vector<std::string> names;
  for (const Criterion& criterion : options.keep.all)
    if (!is_made(options, criterion.name)) names.push_back(criterion.name);
  return names;
}

/// The options for reading one cloud. If a cloud is to be written, all attributes of the queries are needed.
formats::ReadRequest options_for(const Options& options, bool is_data) {
  const bool has_own_columns = !is_data && !options.query_columns.empty();
  formats::ReadRequest wanted({.format = is_data ? options.data_format : options.query_format,
                               .columns = has_own_columns ? options.query_columns : options.columns,
                               .sky = options.sky,
                               .header = options.header,
                               .quotes = options.quotes,
                               .format_option = is_data ? "--data-format" : "--query-format"});
  if (has_own_columns || (!is_data && options.columns.empty()))
    wanted.columns_option = "--query-columns";
  else if (options.query && options.query_columns.empty())
    wanted.columns_note = " (for both clouds; --query-columns is for --query alone)";
  const bool is_query = !is_data || options.self_query();
  if (is_data) wanted.attributes = options.transfer;
  if (is_query) {
    wanted.compared = own_names_of_keep(options);
    std::ranges::copy(wanted.compared, std::back_inserter(wanted.attributes));
    std::ranges::copy(own_names_of_picture(options), std::back_inserter(wanted.attributes));
    if (options.keep) wanted.other_names = made_names(options);
  }
  if (is_query)
    for (const std::string& name : names_of_limits(options))
      for (std::vector<std::string>* const names : {&wanted.attributes, &wanted.compared}) names->push_back(name);
  for (const auto& name : {options.group, options.other_group})
    for (std::vector<std::string>* const names : {&wanted.attributes, &wanted.compared})
      if (name) names->push_back(*name);
  wanted.where = is_data ? options.where : options.query_where;
  wanted.all_attributes = (is_query && options.cloud_format) || options.writes_join();
  wanted.coordinates_too = options.writes_join();
  const bool names_columns = wanted.where || (is_query && (options.keep || !options.attributes.empty()));
  const bool writes_text = options.writes_table() || options.cloud_format == CloudFormat::csv;
  wanted.texts = options.has_groups() || options.has_limits() || writes_text || names_columns;
  wanted.keeps_names = writes_text;  // a cloud of another format has numbers
  wanted.spelled = wanted.all_attributes && writes_text;
  wanted.las_records = is_query && options.cloud_format && has_las_records(*options.cloud_format);
  return wanted;
}

/// Refuses a name in --attributes that no column can have: own columns that get another name are only known later.
void check_choices(const Options& options, const Cloud& data, const Cloud& queries) {
  const std::string owner = options.query.value_or(options.data);
  std::vector<std::string> known = queries.columns.empty() ? std::vector<std::string>{"x", "y", "z"} : queries.columns;
  const std::size_t coordinates = options.writes_table() ? 0 : known.size();
  const auto add = [&](const std::string& name) {
    if (std::ranges::count(known, name) == 0) known.push_back(name);
  };
  if (options.writes_table() && !options.join) {
    known = {"query", "cluster"};
    if (!options.cluster) known = {"query", "rank", "id", "distance"};
    if (options.writes_shifts()) known.insert(known.end(), k_shift_names.begin(), k_shift_names.end());
    std::ranges::for_each(asked_names(options), add);
    for (const TransferSource& from : transferred_attributes(options, data)) add(from.attribute->name);
  } else {
    for (const Attribute& own : own_attributes(queries)) add(own.name);
    if (options.writes_table())
      for (const Attribute& own : own_attributes(data)) add(own.name);
    std::ranges::for_each(made_names(options), add);
  }
  for (const AttributeChoice& choice : options.attributes) {
    if (std::ranges::count(std::span(known).first(coordinates), choice.name) > 0)
      chosen_columns({choice}, known, coordinates, owner);
    std::string_view name = choice.name;
    while (name.starts_with("query_") || name.starts_with("data_")) name.remove_prefix(name.find('_') + 1);
    const std::size_t digits = name.find_last_not_of("0123456789");
    const bool is_numbered = digits != name.npos && name[digits] == '_' && digits + 1 < name.size();
    if (std::ranges::count(known, choice.name) + std::ranges::count(known, name) == 0 &&
        (!is_numbered || std::ranges::count(known, name.substr(0, digits)) == 0))
      refuse_choice(owner, choice.name, known);
  }
}

/// What the queries have under these names, as they were asked for; none if they are the cells of a grid.
std::vector<const Attribute*> own_attributes_called(const Options& options, const Cloud& queries,
                                                    const std::vector<std::string>& names) {
  std::vector<const Attribute*> own;
  if (queries.asked.empty()) return own;
  const formats::ReadRequest read = options_for(options, options.self_query());
  std::vector<std::string> asked = read.attributes;  // as Cloud::asked has them
  for (const Criterion& criterion : read.where.all) asked.push_back(criterion.name);
  for (const std::string& name : names)
    for (const std::size_t place :
         queries.asked[static_cast<std::size_t>(std::ranges::find(asked, name) - asked.begin())])
      own.push_back(&queries.attributes[place]);
  return own;
}

}  // namespace

bool is_made(const Options& options, std::string_view name) {
  const std::vector<std::string> names = made_names(options);
  return std::ranges::count(names, name) > 0;
}

CloudReadOptions read_options_of(const Options& options) {
  if (options.grid && !own_names_of_picture(options).empty())
    throw Error(ErrorKind::usage,
                fmt::format("--picture-by {}: the cells of --grid have no attributes of their own; give "
                            "--transfer {}",
                            *options.picture_by, fmt::join(own_names_of_picture(options), ",")));
  if (options.grid && !own_names_of_keep(options).empty())
    throw Error(ErrorKind::usage,
                fmt::format("--keep: the cells of --grid have no '{}'; there are {}",
                            base::printable(own_names_of_keep(options).front()), fmt::join(made_names(options), ", ")));
  if (options.self_query() && options.query_where)  // in a batch, a job may have no queries of its own
    throw Error(ErrorKind::usage, "--query-where needs --query, which may be the file of the data again");
  return {options_for(options, true), options_for(options, false)};
}

void check_data(const Options& options, const Cloud& data) {
  const std::vector<TransferSource> sources = transferred_attributes(options, data);
  for (auto source = sources.begin(); source != sources.end(); ++source)
    if (const auto same = std::find_if(sources.begin(), source,
                                       [&](const auto& earlier) { return earlier.attribute == source->attribute; });
        same != source)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: --transfer: '{}' and '{}' are the same attribute", options.data,
                              options.transfer[same->name], options.transfer[source->name]));
  if (!shapes_of(options).empty() && data.points.dimensions != 3)
    throw Error(ErrorKind::bad_input, options.data +
                                          ": points of 2 coordinates have no shapes in space (--features); name three "
                                          "with --columns X,Y,Z");
}

void check_texts(const Options& options, const Cloud& data, const Cloud& queries) {
  const auto refuse = [](const std::string& file, const Attribute& attribute, const std::string& what) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: '{}' is text, {}", file, attribute.name, what));
  };
  for (const auto& [attribute, place] : transferred_attributes(options, data)) {
    if (!attribute->texts) continue;
    const std::string& name = options.transfer[place];
    if (!options.writes_table() && options.cloud_format != CloudFormat::csv)
      refuse(options.data, *attribute, "which goes into .csv, .tsv and --output-format cloud-csv alone");
    const auto [method, is_for_others] = asked_method(options.transfer_by, name, place);
    if (!is_for_others && method != TransferMethod::nearest && method != TransferMethod::vote)
      refuse(options.data, *attribute, "for which --by takes nearest or vote");
    if (options.draws() && options.picture_by == name)
      refuse(options.data, *attribute, "which --picture-by does not draw");
  }
  if (queries.asked.empty()) return;
  for (const Attribute* const attribute : own_attributes_of_picture(options, queries))
    if (attribute->texts) refuse(options.query.value_or(options.data), *attribute, "which --picture-by does not draw");
}

Attribute coordinate_of(const PointsView& points, int axis) {
  return std::visit(
      [&](auto coordinates) {
        using T = typename decltype(coordinates)::value_type;
        Array<T> out(static_cast<std::size_t>(points.size()));
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i] = coordinates[i * static_cast<std::size_t>(points.dimensions) + static_cast<std::size_t>(axis)];
        return Attribute{std::string(1, "xyz"[axis]), std::move(out), Meaning::coordinate};
      },
      points.coordinates);
}

void check_columns(const Options& options, const Cloud& data, const Cloud& queries) {
  check_choices(options, data, queries);
  for (const std::string name : {"neighbours", "median_distance"})  // made for --keep, and not written
    if (options.keep.names(name) && std::ranges::count(options.features, name) == 0 &&
        std::ranges::count(own_attributes(queries), name, &Attribute::name) > 0)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{0}: --keep: '{1}' may be that of the file, which --{2} takes, or what is found, which "
                              "--features {1} writes, too",
                              options.query.value_or(options.data), name, options.query ? "query-where" : "where"));
  for (const std::string name : {"id", "distance"})
    if (options.writes_table() && !options.join && !options.cluster && options.keep.names(name))
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: --keep: '{}' may be that of a neighbour, which is nn_{} here, or a column of the file",
                      options.query.value_or(options.data), name, name));
  const Attribute number{"", Array<double>()};
  for (const Criterion& criterion : options.keep.all) {
    const Attribute* column = &number;
    for (const TransferSource& from : transferred_attributes(options, data))
      if (options.transfer[from.name] == criterion.name) column = from.attribute;
    if (!is_made(options, criterion.name)) column = &own_attribute(options, queries, criterion.name);
    if (const std::string fault = fault_of(criterion, *column); !fault.empty())
      throw Error(ErrorKind::bad_input, fmt::format("{}: --keep: '{}' {}", options.query.value_or(options.data),
                                                    base::printable(criterion.name), fault));
  }
}

std::vector<TransferSource> transferred_attributes(const Options& options, const Cloud& data) {
  std::vector<TransferSource> sources;
  for (std::size_t name = 0; name < options.transfer.size(); ++name)
    for (const std::size_t place : data.asked[name]) sources.push_back({&data.attributes[place], name});
  return sources;
}

const Condition& condition_of_queries(const Options& options) {
  return options.self_query() ? options.where : options.query_where;
}

const Attribute& own_attribute(const Options& options, const Cloud& queries, const std::string& name) {
  return *own_attributes_called(options, queries, {name}).front();
}

std::vector<const Attribute*> own_attributes_of_picture(const Options& options, const Cloud& queries) {
  return own_attributes_called(options, queries, own_names_of_picture(options));
}

std::span<const Attribute> own_attributes(const Cloud& queries) {
  return std::span(queries.attributes).first(queries.attributes.size() - queries.asked_besides);
}

std::string shown_in_picture(const Options& options) {
  return options.picture_by.value_or(options.cluster ? "cluster" : "distance");
}

bool shows_colors(const Options& options) { return options.picture_by == "rgb" && !is_transferred(options, "rgb"); }

}  // namespace kann::cli
