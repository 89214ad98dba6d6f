#include "cli/job/pair_table.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "kann/error.hpp"

#include "cli/asked/wanted_attributes.hpp"

namespace kann::cli {
namespace {

using formats::CellColumn;
using Columns = std::span<const CellColumn>;

constexpr std::size_t k_lines_at_once = 1 << 16;  // 2 MB
constexpr std::string_view k_id = "nn_id", k_distance = "nn_distance";

/// A cloud as columns of a table: x, y and z, unless the file has them among its columns, and its attributes.
std::vector<CellColumn> columns_of(const Cloud& cloud) {
  std::vector<CellColumn> columns;
  const std::span<const Attribute> own = own_attributes(cloud);
  const PointsView points = cloud.points;
  if (std::ranges::count(own, Meaning::coordinate, &Attribute::meaning) < points.dimensions)
    for (int axis = 0; axis < points.dimensions; ++axis)
      columns.push_back(formats::column_of(points, axis, std::string(1, "xyz"[axis])));
  for (const Attribute& attribute : own) columns.push_back(formats::column_of(attribute));
  return columns;
}

/// What a condition compares of pairs: −1 stands for none.
Attribute values_of_pairs(const std::string& column, const Rows& rows, std::span<const std::int64_t> pairs) {
  if (column == k_id) {
    Array<std::int64_t> ids;
    for (const std::int64_t pair : pairs)
      ids.push_back(pair < 0 ? k_missing_id : rows.id(static_cast<std::size_t>(pair)));
    return {column, std::move(ids)};
  }
  Array<float> distances;
  for (const std::int64_t pair : pairs)
    distances.push_back(pair < 0 ? std::numeric_limits<float>::infinity()
                                 : rows.distances[static_cast<std::size_t>(pair)]);
  return {column, std::move(distances)};
}

bool has_name(Columns columns, const std::string& name) {
  return std::ranges::any_of(columns,
                             [&](const CellColumn& column) { return formats::header_name(column.name) == name; });
}

}  // namespace

NeighborVectors vectors_of(const Options& options, const flow::FoundBlock& block, int threads) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < block.rows.count && options.half_pairs; ++i) {
    const std::int64_t number = block.rows.first + i;
    const auto at = std::ranges::lower_bound(block.data_rows, number);
    const bool is_there = at != block.data_rows.end() && *at == number;  // else it is no neighbour of itself
    places.push_back(block.data_rows.empty() ? number : is_there ? at - block.data_rows.begin() : -1);
  }
  return neighbor_vectors(block.data.points, block.queries.points, block.neighbors,
                          {.distances = options.float64_distances,
                           .shifts = options.writes_shifts(),
                           .periodic = options.search.periodic,
                           .images = options.search.images,
                           .sky = options.search.sky,
                           .half_of = places,
                           .threads = threads});
}

PairTable::PairTable(const Options& options, const flow::Found& found, const ComputedColumns& computed,
                     formats::ByteSink& sink, int threads)
    : options_(options),
      computed_(computed),
      has_pairs_(!options.cluster && options.join != Join::anti),
      delimiter_(options.output_format == NeighborFormat::tsv ? '\t' : ','),
      sink_(sink),
      threads_(threads) {
  std::vector<std::string> of_rows = {"query"}, made = computed.written_names(), names;
  std::ranges::transform(made, made.begin(), formats::header_name);
  if (options.join) of_rows.clear();
  if (has_pairs_ && options.join) of_rows = {std::string(k_id), std::string(k_distance)};
  if (has_pairs_ && !options.join) of_rows.insert(of_rows.end(), {"rank", "id", "distance"});
  if (options.writes_shifts())
    of_rows.insert(of_rows.end(), k_shift_names.begin(),
                   k_shift_names.begin() + found.described_queries().points.dimensions);
  const auto has = [](const std::vector<std::string>& some, const std::string& name) {
    return std::ranges::count(some, name) > 0;
  };
  const auto add_side = [&](Columns own, Columns other, const std::string& prefix) {
    for (const CellColumn& column : own) {
      std::string name = formats::header_name(column.name);
      while ((has_pairs_ && (has(names, name) || has_name(other, name))) || has(of_rows, name) || has(made, name) ||
             (name != formats::header_name(column.name) && has_name(own, name)))
        name = prefix + name;
      names.push_back(name);
    }
  };
  if (options.join) {
    const std::vector<CellColumn> left = columns_of(found.described_queries()),
                                  right = columns_of(found.described_data());
    add_side(left, right, "query_");
    if (has_pairs_) add_side(right, left, "data_");
  }
  names.insert(names.end(), of_rows.begin(), of_rows.end());
  for (const std::string& own : made) {
    std::string name = own;
    while (has(names, name) || (name != own && has(made, name))) name = "data_" + name;
    names.push_back(name);
  }
  std::vector<AttributeChoice> choices = options.attributes;
  for (AttributeChoice& choice : choices)
    choice = {formats::header_name(choice.name), formats::header_name(choice.new_name), choice.is_dropped};
  chosen_ = chosen_columns(choices, names, 0, options.output);
  if (chosen_.empty()) throw Error(ErrorKind::bad_input, options.output + ": --attributes: no column is left");
  std::string header;
  for (const ChosenColumn& column : chosen_) header += formats::header_cell(column.name) + delimiter_;
  header.back() = '\n';
  sink_.write(formats::as_bytes(header));
}

void PairTable::add(const flow::FoundBlock& block) {
  const Rows& rows = block.rows;
  // Joins and --keep leave out queries. Other results have the lines of all, with or without computed columns
  const std::vector<std::uint8_t> is_kept =
      options_.join || options_.keep ? computed_.kept_rows(block) : std::vector<std::uint8_t>();
  const std::vector<Attribute> made = computed_.written(block);
  std::vector<std::int64_t> numbers(k_lines_at_once), ranks(k_lines_at_once);  // of each line
  Lines lines;
  std::vector<CellColumn> columns;
  std::vector<const std::vector<std::int64_t>*> places;  // of the values of each column; null: it has one of each line
  const auto put = [&](CellColumn column, const std::vector<std::int64_t>* of_values) {
    columns.push_back(std::move(column));
    places.push_back(of_values);
  };
  if (options_.join) {
    for (CellColumn& column : columns_of(block.queries)) put(std::move(column), &lines.queries);
    if (has_pairs_ && (data_.empty() || !block.data_rows.empty())) {  // else it is the same of all blocks
      data_ = columns_of(block.data);
      for (CellColumn& column : data_) column.is_scattered = true;
    }
    for (const CellColumn& column : data_) put(column, &lines.data);
  } else {
    put({"", numbers.data()}, nullptr);
    if (has_pairs_) put({"", ranks.data()}, nullptr);
  }
  const NeighborVectors vectors = options_.writes_vectors() ? vectors_of(options_, block, threads_) : NeighborVectors();
  if (has_pairs_) {
    std::visit([&](auto ids) { put({"", ids.data()}, &lines.pairs); }, rows.ids);
    options_.float64_distances ? put({"", vectors.distances.data()}, &lines.pairs)
                               : put({"", rows.distances.data()}, &lines.pairs);
  }
  for (int a = 0; a < block.queries.points.dimensions && options_.writes_shifts(); ++a)
    put({.name = "", .values = vectors.shifts.data() + a, .stride = block.queries.points.dimensions}, &lines.pairs);
  const std::vector<std::uint8_t> is_transferred = computed_.written_from_data();
  for (std::size_t i = 0; i < made.size(); ++i)
    put(formats::column_of(made[i]), is_transferred[i] ? &lines.answered : &lines.queries);

  const auto write = [&] {
    leave_out(rows, lines);
    lines.answered = lines.queries;
    for (std::int64_t& query : lines.answered)
      if (const auto [begin, end] = rows.row(query); begin == end) query = -1;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (places[i]) columns[i].rows = *places[i];
    for (std::size_t i = 0; i < lines.queries.size() && !options_.join; ++i) {
      numbers[i] = rows.first + lines.queries[i];
      ranks[i] = lines.pairs[i] - static_cast<std::int64_t>(rows.row(lines.queries[i]).first);
    }
    std::vector<CellColumn> written;
    for (const ChosenColumn& column : chosen_) written.push_back(columns[column.place]);
    const std::int64_t count = std::ssize(lines.queries);
    formats::write_cells({written, count, count, delimiter_, ""}, sink_, threads_);
    lines = {};
  };
  const auto add = [&](std::int64_t query, std::int64_t point, std::int64_t pair) {
    lines.queries.push_back(query);
    lines.data.push_back(point);
    lines.pairs.push_back(pair);
    if (lines.queries.size() == k_lines_at_once) write();
  };
  const auto ids = std::get<std::span<const std::int32_t>>(block.neighbors.ids);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (!is_kept.empty() && !is_kept[static_cast<std::size_t>(row)]) continue;
    auto [begin, end] = rows.row(row);
    if (!options_.join && rows.begins.empty()) end = begin + static_cast<std::size_t>(rows.k);  // as rows are stored
    const bool stands_alone = options_.join ? begin == end && options_.join != Join::inner : !has_pairs_;
    if (stands_alone) add(row, -1, -1);
    for (std::size_t i = begin; i < end && has_pairs_; ++i) add(row, ids[i], static_cast<std::int64_t>(i));
  }
  write();
}

void PairTable::leave_out(const Rows& rows, Lines& lines) {
  std::vector<std::uint8_t> met(lines.queries.size(), 1);
  for (const Criterion& criterion : options_.keep.all)
    if (is_of_pairs(options_, criterion.name))
      compare(criterion, values_of_pairs(criterion.name, rows, lines.pairs), met);
  std::size_t kept = 0;
  for (std::size_t line = 0; line < met.size(); ++line) {
    if (!met[line]) continue;
    const std::int64_t query = rows.first + lines.queries[line];
    kept_queries_ += query != last_query_;
    last_query_ = query;
    for (auto* const places : {&lines.queries, &lines.data, &lines.pairs}) (*places)[kept] = (*places)[line];
    ++kept;
  }
  for (auto* const places : {&lines.queries, &lines.data, &lines.pairs}) places->resize(kept);
}

}  // namespace kann::cli
