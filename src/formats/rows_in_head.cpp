// rows_in_head() of cloud_rows.hpp.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "formats/cloud_rows.hpp"
#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/numpy/npz_reader.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/pcd/pcd_reader.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/ply/ply_rows.hpp"
#include "formats/sniff.hpp"
#include "formats/text/text_reader.hpp"

namespace kann::formats {
namespace {

RowsInHead rows_of(std::shared_ptr<Input> input, PointFormat format, const ReadOptions& options) {
  const std::string& file = input->name();
  switch (format) {
    case PointFormat::text:
      return {false, false, text_without_rows(*input, options)};
    case PointFormat::npz:  // an array that is stored is read through, for its checksum
      return {false, npz_size(input).decompressed > 0};
    case PointFormat::ply: {
      const PlyHeader header = ply_header_of(*input, options);
      const bool is_read_whole = header.elements[header.vertex].has_list();
      const bool has_lists = std::ranges::any_of(header.elements, &PlyElement::has_list);
      if (header.encoding != PlyEncoding::ascii && !has_lists) break;
      return {true, header.encoding != PlyEncoding::ascii && is_read_whole, ply_without_rows(header, *input, options)};
    }
    case PointFormat::pcd: {
      const PcdEncoding encoding = parse_pcd_header(input->head(), file, options).encoding;
      if (encoding == PcdEncoding::binary) break;
      return {true, encoding != PcdEncoding::ascii, pcd_without_rows(*input, options)};
    }
    default:
      break;
  }
  const RowCloud cloud = open_rows(std::move(input), format, options);
  return {true, true, cloud.rows ? std::optional(cloud.rows->without_rows()) : std::nullopt};
}

}  // namespace

RowsInHead rows_in_head(const std::string& path, const ReadOptions& options) {
  check_read_options(options);
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  if (path == "-" || type == Type::fifo || type == Type::character || type == Type::socket) return {};
  auto input = std::make_shared<Input>(path);
  const PointFormat format = choose_format(input->name(), input->head(), options).format;
  RowsInHead head = rows_of(std::move(input), format, options);
  if (options.sky && head.described) convert_to_degrees(head.described->points, *head.described);
  return head;
}

}  // namespace kann::formats
