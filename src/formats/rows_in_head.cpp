// rows_in_head() of cloud_rows.hpp.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "formats/cloud_rows.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/las/las_header.hpp"
#include "formats/numpy/npy_layout.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/numpy/npz_reader.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/ply/ply_rows.hpp"
#include "formats/sniff.hpp"
#include "formats/vectors/vectors_reader.hpp"

namespace kann::formats {
namespace {

RowsInHead rows_of(Input& input, PointFormat format, const ReadOptions& options) {
  constexpr RowsInHead all{true, true}, count_alone{true, false};
  switch (format) {
    case PointFormat::ply: {
      const PlyHeader header = ply_header_of(input, options);
      if (header.encoding == PlyEncoding::ascii) return count_alone;
      const bool is_read_whole = header.elements[header.vertex].has_list();
      return !is_read_whole && std::ranges::any_of(header.elements, &PlyElement::has_list) ? count_alone : all;
    }
    case PointFormat::pcd:
      return parse_pcd_header(input.head(), input.name(), options).encoding == PcdEncoding::ascii ? count_alone : all;
    case PointFormat::npy:
      parse_npy_layout(npy_front(input, 0, input.expected_size()), input.name(), options);
      return all;
    case PointFormat::las:
    case PointFormat::laz:
      parse_las_header(input.head(), input.name());
      return all;
    case PointFormat::fvecs:
      fvecs_layout(input, options);
      return all;
    case PointFormat::fbin:
      fbin_layout(input, options);
      return all;
    case PointFormat::kitti:
      kitti_layout(input, options);
      return all;
    case PointFormat::npz:  // an array that is stored is read through, for its checksum
      return {false, npz_size(input).decompressed > 0};
    case PointFormat::text:
      break;
  }
  return {};
}

}  // namespace

RowsInHead rows_in_head(const std::string& path, const ReadOptions& options) {
  check_read_options(options);
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  if (path == "-" || type == Type::fifo || type == Type::character || type == Type::socket) return {};
  Input input(path);
  if (input.head().empty()) refuse(input.name(), "empty file");
  return rows_of(input, choose_format(input.name(), input.head(), options).format, options);
}

}  // namespace kann::formats
