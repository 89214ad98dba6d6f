#include "io/points/las/las_reader.hpp"

#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/las/las_header.hpp"
#include "io/points/table/axes.hpp"
#include "io/points/table/fixed_rows.hpp"

namespace kann::io {
namespace {

Array<double> read_coordinates(Input& input, const LasHeader& header, const FixedRows& rows,
                               std::span<const std::size_t> axes, int threads) {
  const std::size_t d = axes.size();
  check_large_allocation(static_cast<double>(rows.rows) * static_cast<double>(d * sizeof(double)), input.name());
  Array<double> coordinates(static_cast<std::size_t>(rows.rows) * d);
  for_each_row_block(input, rows, threads, [&](std::uint64_t first, std::size_t count, const char* bytes) {
    double* out = coordinates.data() + first * d;
    for (std::size_t i = 0; i < count; ++i, bytes += rows.stride) {
      std::int32_t integers[3];
      std::memcpy(integers, bytes, sizeof integers);
      for (const std::size_t axis : axes) *out++ = integers[axis] * header.scale[axis] + header.offset[axis];
    }
  });
  return coordinates;
}

}  // namespace

Cloud read_las(Input& input, std::span<const std::string> columns, int threads) {
  const LasHeader header = parse_las_header(input.head(), input.name());
  const TableColumns table{"coordinate", 3, {"x", "y", "z"}};
  const std::vector<std::size_t> axes =
      columns.empty() ? std::vector<std::size_t>{0, 1, 2} : chosen_axes(table, columns, input.name());
  const FixedRows rows{header.begin, header.points, header.record};
  if (header.begin > input.total_size())
    refuse(input.name(), fmt::format("the points begin at byte {}, file holds {}", header.begin, input.total_size()));
  check_row_count(input, rows);

  Array<double> coordinates = read_coordinates(input, header, rows, axes, threads);
  Cloud cloud{{static_cast<int>(axes.size()), std::move(coordinates)}, {}, {columns.begin(), columns.end()}};
  const std::size_t rest = input.total_size() - header.begin - static_cast<std::size_t>(header.points) * header.record;
  if (rest > 0 && !header.has_tail)
    cloud.warnings.push_back(fmt::format("{}: {} bytes after the last point are not read", input.name(), rest));
  return cloud;
}

}  // namespace kann::io
