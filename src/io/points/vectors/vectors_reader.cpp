#include "io/points/vectors/vectors_reader.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/table/attributes.hpp"
#include "io/points/table/axes.hpp"
#include "io/points/table/fixed_rows.hpp"

namespace kann::io {
namespace {

constexpr std::size_t k_word = 4;                                  // bytes of every number in these formats
constexpr std::uint32_t k_max_dimension = std::uint32_t{1} << 20;  // of vectors from which columns are chosen

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// The axes of vectors whose numbers begin at `offset` in a row. `dimension` stands at `place` in the file.
std::vector<RowAxis> axes_of(std::uint32_t dimension, std::size_t offset, std::size_t place, const std::string& file,
                             std::span<const std::string> columns) {
  const bool is_point = dimension == 2 || dimension == 3;
  if (columns.empty() ? !is_point : dimension < 2 || dimension > k_max_dimension)
    refuse_byte(file, place,
                fmt::format("the dimension of the vectors is {} (need {}){}", dimension,
                            columns.empty() ? "2 or 3" : fmt::format("2 to {}", k_max_dimension),
                            columns.empty() && dimension > 3 && dimension <= k_max_dimension
                                ? "; choose among their numbers, e.g. with --columns 1,2,3"
                                : ""));
  std::vector<std::size_t> chosen(dimension <= 3 ? dimension : 3);
  for (std::size_t a = 0; a < chosen.size(); ++a) chosen[a] = a;
  if (!columns.empty()) chosen = chosen_axes({"column", dimension}, columns, file);
  std::vector<RowAxis> axes;
  for (const std::size_t axis : chosen) axes.push_back({ScalarType::float32, offset + axis * k_word});
  return axes;
}

Cloud cloud_of(Points points, const ReadOptions& options) { return {std::move(points), {}, options.columns}; }

}  // namespace

Cloud read_fvecs(Input& input, const ReadOptions& options) {
  const std::string& file = input.name();
  const std::string_view head = input.head();
  if (head.size() < k_word) refuse(file, fmt::format("a dimension needs 4 bytes, file holds {}", head.size()));
  const std::uint32_t dimension = word_at(head.data());
  const std::vector<RowAxis> axes = axes_of(dimension, k_word, 0, file, options.columns);
  refuse_attributes(options, file);
  const std::size_t stride = k_word + dimension * k_word, size = input.total_size();
  if (size % stride != 0)
    refuse(file,
           fmt::format("vectors of dimension {} need a multiple of {} bytes, file holds {}", dimension, stride, size));

  // The first row that differs, whatever the order in which blocks are read.
  std::atomic<std::uint64_t> differs{size};
  const FixedRows rows{0, size / stride, stride};
  Points points = read_fixed_rows(
      input, rows, axes, options.threads, [&](std::uint64_t first, std::size_t count, const char* bytes) {
        for (std::size_t i = 0; i < count; ++i) {
          if (word_at(bytes + i * stride) == dimension) continue;
          for (std::uint64_t old = differs; first + i < old && !differs.compare_exchange_weak(old, first + i);)
            continue;
          return;
        }
      });
  if (differs < size)
    refuse_byte(file, static_cast<std::size_t>(differs) * stride,
                fmt::format("vector {} has another dimension than the first, {}", differs.load(), dimension));
  return cloud_of(std::move(points), options);
}

Cloud read_fbin(Input& input, const ReadOptions& options) {
  constexpr std::size_t header = 2 * k_word;
  const std::string& file = input.name();
  const std::string_view head = input.head();
  if (head.size() < header) refuse(file, fmt::format("the fbin header needs 8 bytes, file holds {}", head.size()));
  const std::uint32_t count = word_at(head.data()), dimension = word_at(head.data() + k_word);
  const std::vector<RowAxis> axes = axes_of(dimension, 0, k_word, file, options.columns);
  refuse_attributes(options, file);
  const FixedRows rows{header, count, dimension * k_word};
  Cloud cloud = cloud_of(read_fixed_rows(input, rows, axes, options.threads), options);
  if (const std::size_t rest = input.total_size() - header - rows.rows * rows.stride; rest > 0)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the last vector are not read", file, rest));
  return cloud;
}

Cloud read_kitti(Input& input, const ReadOptions& options) {
  const TableColumns table{"column", 4, {"x", "y", "z", "reflectance"}};
  const std::size_t stride = table.count * k_word, size = input.total_size();
  if (size % stride != 0)
    refuse(input.name(),
           fmt::format("KITTI's x, y, z and reflectance need a multiple of 16 bytes, file holds {}", size));
  std::vector<std::size_t> chosen = {0, 1, 2};
  if (!options.columns.empty()) chosen = chosen_axes(table, options.columns, input.name());
  std::vector<RowAxis> axes;
  for (const std::size_t axis : chosen) axes.push_back({ScalarType::float32, axis * k_word});
  const FixedRows rows{0, size / stride, stride};
  if (!wants_attributes(options)) return cloud_of(read_fixed_rows(input, rows, axes, options.threads), options);

  std::vector<AttributeColumn> known;
  for (const std::string_view name : table.names) known.push_back({std::string(name)});
  std::vector<std::string> names, warnings;
  std::vector<RowAxis> fields;
  const ChosenAttributes wanted = chosen_attributes(table.noun, known, chosen, options, input.name(), warnings);
  for (const std::size_t i : wanted.columns) {
    names.push_back(known[i].name);
    fields.push_back({ScalarType::float32, i * k_word});
  }
  RowAttributes attributes(names, std::move(fields), rows, input.name());
  Cloud cloud = cloud_of(read_fixed_rows(input, rows, axes, options.threads,
                                         [&](std::uint64_t first, std::size_t count, const char* bytes) {
                                           attributes.fill(first, count, bytes);
                                         }),
                         options);
  cloud.attributes = attributes.take();
  wanted.describe(cloud);
  return cloud;
}

}  // namespace kann::io
