// estimate_cloud() of kann/io.hpp.
#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/las/las_header.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/numpy/npz_reader.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/ply/ply_rows.hpp"
#include "formats/sniff.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/expansion.hpp"
#include "formats/text/text_layout.hpp"
#include "formats/text/text_reader.hpp"

namespace kann::formats {
namespace {

struct Shape {
  std::uint64_t rows = 0;
  std::size_t dimensions = 3;
  bool is_float64 = false;
  double held = 0;  ///< bytes of the file, and of what it is decompressed to, in memory while it is read as a whole
  std::uint64_t decompressed = 0;  ///< bytes to which the rows are decompressed, if they are not held
};

/// Whether float32 does not hold all values of these columns.
template <class Columns, class TypeOf>
bool is_wide(const Columns& axes, TypeOf&& type_of) {
  return !std::ranges::all_of(axes, [&](const auto& axis) { return fits_float32(type_of(axis)); });
}

/// The shape of a text whose rows are all as long as those of its head, or as the head, if it has no whole one.
Shape text_shape(std::string_view head, std::uint64_t bytes, const ReadOptions& options) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(head, '\n'));
  return {lines == 0 ? bytes / head.size() : bytes / (head.size() / lines),
          guess_text_layout(head, options).axes.size(), true,
          static_cast<double>(std::min<std::uint64_t>(bytes, k_text_part_bytes))};
}

/// The shape of an archive, whose directory says how long its arrays are, but not what they hold: float32 takes most
/// memory for the same bytes.
Shape npz_shape(std::shared_ptr<Input> input, std::uint64_t bytes) {
  const NpzSize size = npz_size(std::move(input));
  const std::uint64_t held = size.decompressed > 0 ? bytes + size.decompressed : 0;
  return {size.array / (3 * sizeof(float)), 3, false, static_cast<double>(held)};
}

/// Bytes that are in memory while a PCD file is read as a whole.
double pcd_held(const PcdHeader& header, std::uint64_t bytes) {
  if (header.encoding == PcdEncoding::binary) return 0;
  const bool is_compressed = header.encoding == PcdEncoding::binary_compressed;
  const double points = static_cast<double>(header.points) * static_cast<double>(header.point_bytes);
  return static_cast<double>(bytes) + (is_compressed ? std::min(points, static_cast<double>(most_expanded(bytes))) : 0);
}

/// The 32-bit number at `offset`; 0 if the head is shorter.
std::uint32_t number_in(std::string_view head, std::size_t offset) {
  std::uint32_t number = 0;
  if (head.size() >= offset + sizeof number) std::memcpy(&number, head.data() + offset, sizeof number);
  return number;
}

/// The shape of a file of fvecs, in which each vector begins with its dimension.
Shape fvecs_shape(std::string_view head, std::uint64_t bytes) {
  const std::uint64_t dimensions = number_in(head, 0);
  return {bytes / (sizeof(std::int32_t) + sizeof(float) * dimensions), dimensions};
}

Shape shape(PointFormat format, const std::shared_ptr<Input>& from, std::uint64_t bytes, const ReadOptions& options) {
  const Input& input = *from;
  const std::string_view head = input.head();
  const auto whole = static_cast<double>(bytes);
  switch (format) {
    case PointFormat::ply: {
      const bool is_whole = head.find("end_header") != std::string_view::npos;  // thousands of properties are not
      const PlyHeader header = is_whole ? parse_ply_header(head, input.name(), options) : ply_header_of(input, options);
      const PlyElement& vertex = header.elements[header.vertex];
      return {vertex.count, header.axes.size(),
              is_wide(header.axes, [&](std::size_t axis) { return vertex.properties[axis].type; }), whole};
    }
    case PointFormat::npy: {
      const RowLayout layout = npy_layout(from, options);
      return {layout.rows.rows, layout.axes.size(),
              is_wide(layout.axes, [](const RowField& axis) { return axis.type; })};
    }
    case PointFormat::pcd: {
      const PcdHeader header = parse_pcd_header(head, input.name(), options);
      return {header.points, header.axes.size(),
              is_wide(header.axes, [&](std::size_t axis) { return header.fields[axis].type; }),
              pcd_held(header, bytes)};
    }
    case PointFormat::las:
      return {parse_las_header(head, input.name()).points, 3, true};
    case PointFormat::laz:
      return {parse_las_header(head, input.name()).points, 3, true, 0, most_expanded(bytes)};
    case PointFormat::fvecs:
      return fvecs_shape(head, bytes);
    case PointFormat::fbin:
      return {number_in(head, 0), number_in(head, sizeof(std::uint32_t))};
    case PointFormat::text:
      return text_shape(head, bytes, options);
    case PointFormat::npz:
      return npz_shape(from, bytes);
    case PointFormat::kitti:
      return {bytes / (4 * sizeof(float))};
  }
  return {};
}

}  // namespace
}  // namespace kann::formats

namespace kann {

std::optional<CloudEstimate> estimate_cloud(const std::string& path, const ReadOptions& options) try {
  std::error_code error;
  // A FIFO would block, and its first bytes be lost
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const auto input = std::make_shared<formats::Input>(path);
  if (input->head().empty()) return std::nullopt;
  const PointFormat format = formats::choose_format(input->name(), input->head(), options).format;
  const std::uint64_t bytes = input->expected_size();
  const formats::Shape shape = formats::shape(format, input, bytes, options);
  const std::uint64_t most_rows =  // of a byte each
      std::max({bytes, static_cast<std::uint64_t>(shape.held), shape.decompressed});
  return CloudEstimate{static_cast<std::int64_t>(std::min(shape.rows, most_rows)), shape.dimensions == 2 ? 2 : 3,
                       shape.is_float64, shape.held};
} catch (const std::exception&) {
  return std::nullopt;  // reading the file will say what is wrong with it
}

}  // namespace kann
