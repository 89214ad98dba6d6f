#include "cli/columns/computed_columns.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>
#include <variant>

#include "kann/error.hpp"

#include "cli/asked/wanted_attributes.hpp"
#include "cli/report/facts_of.hpp"
#include "formats/table/meanings.hpp"
#include "formats/table/value_range.hpp"

namespace kann::cli {
namespace {

/// The values as float64; NaN for queries without a neighbour.
Array<double> as_float64(const AttributeValues& values, const Rows& rows) {
  return std::visit(
      [&](const auto& typed) {
        Array<double> out(typed.size());
        for (std::size_t i = 0; i < typed.size(); ++i) {
          const auto [begin, end] = rows.row(static_cast<std::int64_t>(i));
          out[i] = begin < end ? static_cast<double>(typed[i]) : std::numeric_limits<double>::quiet_NaN();
        }
        return out;
      },
      values);
}

/// Converts float64 values to the type of `like`: for whole numbers, means are rounded and kept in the range of the
/// type, and NaN becomes what stands for a missing value. Means of bytes of colour keep their fractions `in_las`, which
/// has 16 bits for them.
AttributeValues as_type_of(const Attribute& like, const Array<double>& values, bool in_las) {
  if (in_las && formats::is_colour(like.meaning) && std::holds_alternative<Array<std::uint8_t>>(like.values)) {
    Array<std::uint16_t> wide(values.size());
    std::ranges::transform(values, wide.begin(),
                           [](double value) { return formats::nearest_of<std::uint16_t>(value * 257); });
    return wide;
  }
  return std::visit(
      [&]<class T>(const Array<T>&) -> AttributeValues {
        Array<T> out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          out[i] = std::isnan(values[i]) ? like.missing<T>() : formats::nearest_of<T>(values[i]);
        return out;
      },
      like.values);
}

}  // namespace

ComputedColumns::ComputedColumns(const ProductInput& input, const std::optional<std::string>& folder)
    : input_(input), store_(folder, input.memory) {
  std::size_t kept = 0;
  for (const ProductKind& kind : product_kinds()) {
    const ProductPlace place = kind.place(input_.options, kind.name);
    if (!place.clouds && !place.arrays && !place.is_named) continue;
    std::unique_ptr<Product> product = make_product(kind, input_);
    std::vector<ProductColumn> columns = product->columns();
    kept_at_.push_back(kept);
    if (product->reads_points()) kept += columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns_.push_back({std::move(columns[i]), place, products_.size(), i});
    products_.push_back(std::move(product));
  }
  if (kept > 0) keep_values();
  for (std::size_t p = 0; p < products_.size(); ++p)
    products_[p]->finish(facts_, [&](const Product::Values& sink) {
      const std::size_t count = products_[p]->columns().size();
      for (std::int64_t block = 0; block < store_.blocks(); ++block)
        sink(std::span(store_.block(block)).subspan(kept_at_[p], count));
    });
}

void ComputedColumns::keep_values() {
  input_.found.for_each({.queries = true, .data = true}, [&](const flow::FoundBlock& block) {
    std::vector<Attribute> made;
    for (const auto& product : products_)
      if (product->reads_points()) std::ranges::move(product->make(block), std::back_inserter(made));
    store_.add(std::move(made));
  });
}

const ComputedColumns::Column* ComputedColumns::find(std::string_view name) const {
  const auto found = std::ranges::find_if(columns_, [&](const Column& column) {
    return column.name() == name || (column.from && input_.options.transfer[column.asked] == name);
  });
  return found == columns_.end() ? nullptr : &*found;
}

const Attribute* ComputedColumns::kept_values(std::int64_t block, const Column& column) const {
  const bool is_kept = products_[column.product]->reads_points();
  return is_kept ? &store_.block(block)[kept_at_[column.product] + column.number] : nullptr;
}

Attribute ComputedColumns::values(const flow::FoundBlock& block, const Column& column) const {
  if (const Attribute* const kept = kept_values(block.number, column)) return *kept;
  return std::move(products_[column.product]->make(block)[column.number]);
}

std::vector<std::uint8_t> ComputedColumns::kept_rows(const flow::FoundBlock& block) const {
  const Options& options = input_.options;
  if (!chooses_queries(options)) return {};
  std::vector<std::uint8_t> kept(static_cast<std::size_t>(block.rows.count), 1);
  const auto compare_own = [&](const Criterion& criterion) {
    compare(criterion, own_attribute(options, block.queries, criterion.name), kept);
  };
  std::ranges::for_each(condition_of_queries(options).all, compare_own);
  for (const Criterion& criterion : options.keep.all) {
    if (is_of_pairs(options, criterion.name)) continue;
    const Column* const made = is_made(options, criterion.name) ? find(criterion.name) : nullptr;
    if (made) {
      compare(criterion, written_values(block, *made), kept);
      for (std::int64_t row = 0; row < block.rows.count && made->from; ++row)  // whole numbers have no NaN to say so
        if (const auto [begin, end] = block.rows.row(row); begin == end) kept[static_cast<std::size_t>(row)] = 0;
    } else if (options.grid) {
      const int axis = criterion.name[0] - 'x';
      if (axis >= block.queries.points.dimensions)
        throw Error(ErrorKind::usage, "--keep: the cells of this --grid have no z");
      compare(criterion, coordinate_of(block.queries.points, axis), kept);
    } else {
      compare_own(criterion);
    }
  }
  return kept;
}

Attribute ComputedColumns::written_values(const flow::FoundBlock& block, const Column& column) const {
  const std::optional<CloudFormat> format = input_.options.cloud_format;
  const Attribute* const kept = kept_values(block.number, column);
  const auto* const means = kept && column.from ? std::get_if<Array<double>>(&kept->values) : nullptr;
  if (means && format && *format != CloudFormat::csv)
    return kept->with(as_type_of(*column.from, *means, has_las_records(*format)));
  return kept ? *kept : values(block, column);
}

std::vector<Attribute> ComputedColumns::written(const flow::FoundBlock& block) const {
  std::vector<Attribute> made;
  for (const Column& column : columns_)
    if (is_written(column)) made.push_back(written_values(block, column));
  return made;
}

std::vector<std::string> ComputedColumns::written_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_)
    if (is_written(column)) names.push_back(column.name());
  return names;
}

std::vector<std::uint8_t> ComputedColumns::written_from_data() const {
  std::vector<std::uint8_t> are;
  for (const Column& column : columns_)
    if (is_written(column)) are.push_back(column.from != nullptr);
  return are;
}

std::vector<ColumnBlocks> ComputedColumns::of_npz() const {
  std::vector<ColumnBlocks> arrays;
  for (const Column& column : columns_) {
    if (!column.place.arrays) continue;
    const auto pass = [this, &column](const std::function<void(const AttributeValues&)>& sink) {
      if (column.keeps_type && products_[column.product]->reads_points()) {  // rows of a file take longer
        for (std::int64_t block = 0; block < store_.blocks(); ++block) sink(kept_values(block, column)->values);
        return;
      }
      input_.found.for_each({}, [&](const flow::FoundBlock& block) {
        const Attribute made = values(block, column);
        column.keeps_type ? sink(made.values) : sink(as_float64(made.values, block.rows));
      });
    };
    arrays.push_back({column.from ? "attr_" + column.name() : column.name(),
                      column.keeps_type ? column.like.values : AttributeValues(Array<double>()), pass});
  }
  return arrays;
}

std::vector<std::string> warnings_of(const Options& options, const ColumnFacts& facts, std::int64_t queries) {
  std::vector<std::string> lines;
  for (const auto& [name, given_name, asked, is_text] : facts.voted_instead)
    lines.push_back(
        is_text ? fmt::format("{} is text, so queries get the most frequent one", name)
                : fmt::format("{} has whole numbers, so queries get the most frequent one; --by {}={} {} it", name,
                              given_name, word_of(asked), asked == TransferMethod::rbf ? "interpolates" : "averages"));
  for (const std::string& name : facts.rounded)
    lines.push_back(
        fmt::format("{} has whole numbers, to which its means are rounded; .npz and cloud-csv keep them", name));
  if (facts.without_neighbors > 0 && options.join.value_or(Join::left) == Join::left)
    lines.push_back(fmt::format("{} of {} queries have no neighbour; what they get is NaN, or 0 in whole numbers{}",
                                facts.without_neighbors, queries,
                                (options.cloud_format || options.writes_table()) && !options.keep
                                    ? "; --keep 'neighbours > 0' leaves them out"
                                    : ""));
  if (const std::int64_t reduced = facts.singular - facts.by_distance; reduced > 0)
    lines.push_back(
        fmt::format("--by rbf: {} of {} queries have neighbours that do not determine the polynomial (too "
                    "few, on a line or a plane); theirs has a lower degree",
                    reduced, queries));
  if (facts.by_distance > 0)
    lines.push_back(
        fmt::format("--by rbf: {} of {} queries have a system that is singular, as the kernel is the same "
                    "at several neighbours; their values are those of idw",
                    facts.by_distance, queries));
  for (const auto& [name, values] : facts.beyond)
    lines.push_back(
        fmt::format("--by rbf: {} of {} values of {} lie outside the range of the data's values by more than its "
                    "width; try --rbf smoothing=1, another epsilon or --by idw",
                    values, queries, name));
  if (facts.features && facts.features->too_few > 0)
    lines.push_back(fmt::format(
        "--features: {} of {} queries have fewer than 3 points in their neighbourhood; their features are NaN{}",
        facts.features->too_few, queries, options.has_radius() ? "; take a larger --radius" : ""));
  const bool has_normals = std::ranges::any_of(
      shapes_of(options), [](Feature f) { return f == Feature::normals || f == Feature::verticality; });
  if (facts.features && has_normals && facts.features->undetermined > 0)
    lines.push_back(
        fmt::format("--features: {} of {} queries have neighbours that determine no normal (on a line, at "
                    "one place, or spread alike in two directions); theirs is NaN",
                    facts.features->undetermined, queries));
  if (facts.nan_values > 0)
    lines.push_back(fmt::format("{} values of neighbours are NaN or infinite; they are left out", facts.nan_values));
  return lines;
}

}  // namespace kann::cli
