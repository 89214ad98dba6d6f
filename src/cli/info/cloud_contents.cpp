#include "cli/info/cloud_contents.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/threads/parallel.hpp"
#include "formats/file_contents.hpp"

namespace kann::cli {
namespace {

/// The names of the types of AttributeValues, in their order.
constexpr std::array<std::string_view, std::variant_size_v<AttributeValues>> k_types = {
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"};

ColumnContents column_of(const Attribute& attribute) {
  ColumnContents column{attribute.name, attribute.texts ? "text" : k_types[attribute.values.index()]};
  if (attribute.texts) column.texts = attribute.texts->count;
  return column;
}

/// One axis of points as a column of its own.
AttributeValues axis_of(const Points& points, std::size_t axis) {
  return std::visit(
      [&](const auto& all) -> AttributeValues {
        std::decay_t<decltype(all)> values(all.size() / static_cast<std::size_t>(points.dimensions));
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = all[i * static_cast<std::size_t>(points.dimensions) + axis];
        return values;
      },
      points.coordinates);
}

/// The columns of a cloud whose blocks come one after the other. Where the file has no columns of coordinates, as an
/// array without names, x, y and z stand in their place.
class Columns {
 public:
  explicit Columns(const Cloud& described) {
    const bool has_coordinates = std::ranges::count(described.attributes, Meaning::coordinate, &Attribute::meaning) > 0;
    axes_ = has_coordinates ? 0 : static_cast<std::size_t>(described.points.dimensions);
    const std::string_view type =
        std::holds_alternative<Array<float>>(described.points.coordinates) ? "float32" : "float64";
    for (std::size_t axis = 0; axis < axes_; ++axis) columns_.push_back({std::string(1, "xyz"[axis]), type});
    for (const Attribute& attribute : described.attributes) columns_.push_back(column_of(attribute));
  }

  void add(const Cloud& block, int threads) {
    base::parallel_chunks(static_cast<std::int64_t>(columns_.size()), 1, threads, [&](std::int64_t i, std::int64_t) {
      const auto column = static_cast<std::size_t>(i);
      if (columns_[column].texts) return;
      statistics::ColumnRange& range = columns_[column].range;
      if (column < axes_) return range.add(axis_of(block.points, column));
      const Attribute& attribute = block.attributes[column - axes_];
      range.add(attribute.values, attribute.no_data);
    });
  }

  std::vector<ColumnContents> take() { return std::move(columns_); }

 private:
  std::size_t axes_;
  std::vector<ColumnContents> columns_;
};

}  // namespace

std::optional<double> CloudContents::density(std::size_t axes) const {
  double size = 1;
  for (std::size_t axis = 0; axis < axes; ++axis) size *= side(axis);
  return size > 0 ? std::optional(static_cast<double>(survey.valid) / size) : std::nullopt;
}

CloudContents look_into(const std::string& path, const formats::ReadRequest& options, int threads,
                        const std::function<void(std::int64_t, std::int64_t)>& on_progress) {
  const formats::FileContents file(path, options);
  const Cloud& described = file.described();
  CloudContents contents;
  contents.path = path;
  contents.format = file.format();
  contents.bytes = file.bytes();
  contents.dimensions = described.points.dimensions;
  contents.coordinates = described.columns;
  if (contents.coordinates.empty())
    for (int axis = 0; axis < contents.dimensions; ++axis) contents.coordinates.emplace_back(1, "xyz"[axis]);
  contents.system = described.system;
  contents.warnings = file.warnings();
  Columns columns(described);
  const int count = base::thread_count(threads);
  file.for_each_block([&](std::int64_t row, const Cloud& block) {
    problem::Survey survey = problem::survey(block.points, count);
    if (survey.first_invalid >= 0) survey.first_invalid += row;
    problem::append(contents.survey, survey);
    columns.add(block, count);
    if (on_progress) on_progress(row + block.points.size(), file.size());
  });
  contents.columns = columns.take();
  return contents;
}

}  // namespace kann::cli
