#include "formats/plain_rows.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "kann/error.hpp"

#include "formats/files/refusal.hpp"
#include "formats/ply/ply_header.hpp"

namespace kann::formats {
namespace {

template <class T>
Points read_as(Input& input, const PlainRows& rows, int threads) {
  Array<T> coordinates(static_cast<std::size_t>(rows.rows) * static_cast<std::size_t>(rows.dimensions));
  input.read_into(rows.begin, std::as_writable_bytes(std::span(coordinates)), threads);
  return Points{rows.dimensions, std::move(coordinates)};
}

bool holds_axes_alone(const PlyHeader& header) {
  const std::vector<PlyProperty>& properties = header.elements[header.vertex].properties;
  if (properties.size() != header.axes.size() || !is_floating(properties[0].type)) return false;
  for (std::size_t a = 0; a < header.axes.size(); ++a)
    if (header.axes[a] != a || properties[a].type != properties[0].type) return false;
  return true;
}

}  // namespace

std::optional<PlainRows> plain_ply_rows(std::string_view head, const std::string& file,
                                        const ReadOptions& options) try {
  const PlyHeader header = parse_ply_header(head, file, options);
  if (head[header.body - 1] != '\n') return std::nullopt;  // cut off within its last line
  const bool has_vertices_alone = std::ranges::all_of(header.elements, [&](const PlyElement& element) {
    return &element == &header.elements[header.vertex] || element.count == 0;
  });
  if (header.encoding != PlyEncoding::binary_little_endian || !has_vertices_alone || !holds_axes_alone(header))
    return std::nullopt;
  const PlyElement& vertex = header.elements[header.vertex];
  return PlainRows{header.body, vertex.count, static_cast<int>(header.axes.size()), vertex.properties[0].type,
                   header.columns};
} catch (const Error&) {
  return std::nullopt;  // the strict reader decides; the head may only be too short for the header
}

std::optional<Points> read_plain(Input& input, const PlainRows& rows, int threads) {
  static_assert(std::endian::native == std::endian::little);
  const WideSize need = WideSize{rows.rows} * static_cast<unsigned>(rows.dimensions) * size_of(rows.type);
  if (rows.rows == 0 || input.expected_size() != WideSize{rows.begin} + need) return std::nullopt;
  check_large_allocation(static_cast<double>(need), input.name());
  return rows.type == ScalarType::float32 ? read_as<float>(input, rows, threads)
                                          : read_as<double>(input, rows, threads);
}

}  // namespace kann::formats
