#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/layouts.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_word = 4;                                  // bytes of every number in these formats
constexpr std::uint32_t k_max_dimension = std::uint32_t{1} << 20;  // if columns are chosen

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// The axes of vectors whose numbers begin at `offset` in a row. `dimension` stands at `place` in the file.
std::vector<RowField> axes_of(std::uint32_t dimension, std::size_t offset, std::size_t place, const std::string& file,
                              const ReadRequest& options) {
  const bool is_point = dimension == 2 || dimension == 3;
  if (options.columns.empty() ? !is_point : dimension < 2 || dimension > k_max_dimension)
    refuse_byte(file, place,
                fmt::format("the dimension of the vectors is {} (need {}){}", dimension,
                            options.columns.empty() ? "2 or 3" : fmt::format("2 to {}", k_max_dimension),
                            options.columns.empty() && dimension > 3 && dimension <= k_max_dimension
                                ? fmt::format("; choose among their numbers, e.g. with {} 1,2,3{}",
                                              options.columns_option, options.columns_note)
                                : ""));
  std::vector<std::size_t> chosen(dimension <= 3 ? dimension : 3);
  for (std::size_t a = 0; a < chosen.size(); ++a) chosen[a] = a;
  if (!options.columns.empty()) chosen = chosen_axes({"column", dimension}, options, file);
  std::vector<RowField> axes;
  for (const std::size_t axis : chosen) axes.push_back({ScalarType::float32, offset + axis * k_word});
  return axes;
}

const TableColumns k_kitti{"column", 4, {"x", "y", "z", "reflectance"}};

}  // namespace

RowLayout fvecs_layout(std::shared_ptr<Input> from, const ReadRequest& options) {
  Input& input = *from;
  const std::string& file = input.name();
  const std::string_view head = input.head();
  if (head.size() < k_word) refuse(file, fmt::format("a dimension needs 4 bytes, file holds {}", head.size()));
  const std::uint32_t dimension = word_at(head.data());
  RowLayout layout{.input = std::move(from)};
  layout.axes = axes_of(dimension, k_word, 0, file, options);
  layout.add_coordinates(options, file);
  const std::size_t stride = k_word + dimension * k_word, size = input.total_size();
  if (size % stride != 0)
    refuse(file,
           fmt::format("vectors of dimension {} need a multiple of {} bytes, file holds {}", dimension, stride, size));
  layout.rows = {0, size / stride, stride};
  layout.row_head = dimension;
  layout.without_rows.columns = options.columns;
  return layout;
}

RowLayout fbin_layout(std::shared_ptr<Input> from, const ReadRequest& options) {
  Input& input = *from;
  constexpr std::size_t header = 2 * k_word;
  const std::string& file = input.name();
  const std::string_view head = input.head();
  if (head.size() < header) refuse(file, fmt::format("the fbin header needs 8 bytes, file holds {}", head.size()));
  const std::uint32_t count = word_at(head.data()), dimension = word_at(head.data() + k_word);
  RowLayout layout{.input = std::move(from)};
  layout.axes = axes_of(dimension, 0, k_word, file, options);
  layout.add_coordinates(options, file);
  layout.rows = {header, count, dimension * k_word};
  check_row_count(input, layout.rows);
  layout.without_rows.columns = options.columns;
  if (const std::size_t rest = input.total_size() - header - layout.rows.rows * layout.rows.stride; rest > 0)
    layout.without_rows.warnings.push_back(rest_warning(file, rest, "the last vector"));
  return layout;
}

RowLayout kitti_layout(std::shared_ptr<Input> from, const ReadRequest& options) {
  Input& input = *from;
  const std::size_t stride = k_kitti.count * k_word, size = input.total_size();
  if (size % stride != 0)
    refuse(input.name(),
           fmt::format("KITTI's x, y, z and reflectance need a multiple of 16 bytes, file holds {}", size));
  RowLayout layout{.input = std::move(from)};
  const std::string& file = input.name();
  const std::vector<std::size_t> axes =
      options.columns.empty() ? std::vector<std::size_t>{0, 1, 2} : chosen_axes(k_kitti, options, file);
  const auto field_of = [](std::size_t column) { return RowField{ScalarType::float32, column * k_word}; };
  for (const std::size_t axis : axes) layout.axes.push_back(field_of(axis));
  layout.rows = {0, size / stride, stride};
  layout.without_rows.columns = options.columns;
  std::vector<AttributeColumn> known;
  for (const std::string_view name : k_kitti.names) known.push_back({std::string(name)});
  const ChosenAttributes chosen =
      chosen_attributes(k_kitti.noun, known, axes, options, file, layout.without_rows.warnings);
  for (const std::size_t column : chosen.columns) layout.add_attribute(known[column].name, field_of(column));
  chosen.describe(layout.without_rows);
  return layout;
}

}  // namespace kann::formats
