// estimate_cloud() of kann/io.hpp.
#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>

#include "kann/io.hpp"

#include "io/files/input.hpp"
#include "io/points/las/las_header.hpp"
#include "io/points/numpy/npy_layout.hpp"
#include "io/points/pcd/pcd_header.hpp"
#include "io/points/ply/ply_header.hpp"
#include "io/points/sniff.hpp"

namespace kann::io {
namespace {

/// Rows of a text: as long as those of its head.
std::uint64_t text_rows(std::string_view head, std::uint64_t bytes) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(head, '\n'));
  return lines == 0 ? 1 : bytes / (head.size() / lines);
}

/// The 32-bit number at `offset`; 0 if the head is shorter.
std::uint32_t number_at(std::string_view head, std::size_t offset) {
  std::uint32_t number = 0;
  if (head.size() >= offset + sizeof number) std::memcpy(&number, head.data() + offset, sizeof number);
  return number;
}

/// Vectors of a file in which each begins with its dimension.
std::uint64_t fvecs_rows(std::string_view head, std::uint64_t bytes) {
  return bytes / (sizeof(std::int32_t) + sizeof(float) * std::uint64_t{number_at(head, 0)});
}

std::uint64_t rows(PointFormat format, const Input& input, std::uint64_t bytes, const ReadOptions& options) {
  const std::string_view head = input.head();
  switch (format) {
    case PointFormat::ply: {
      const PlyHeader header = parse_ply_header(head, input.name(), options.columns);
      return header.elements[header.vertex].count;
    }
    case PointFormat::npy:
      return parse_npy_layout(head, input.name(), options.columns).rows;
    case PointFormat::pcd:
      return parse_pcd_header(head, input.name(), options.columns).points;
    case PointFormat::las:
      return parse_las_header(head, input.name()).points;
    case PointFormat::fvecs:
      return fvecs_rows(head, bytes);
    case PointFormat::fbin:
      return number_at(head, 0);
    case PointFormat::text:
      return text_rows(head, bytes);
    case PointFormat::npz:  // what it holds is said at its end
      return bytes / (3 * sizeof(float));
    case PointFormat::kitti:
      return bytes / (4 * sizeof(float));
  }
  return 0;
}

}  // namespace
}  // namespace kann::io

namespace kann {

std::optional<CloudEstimate> estimate_cloud(const std::string& path, const ReadOptions& options) try {
  std::error_code error;
  // A FIFO would block, and its first bytes be lost
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const io::Input input(path);
  if (input.head().empty()) return std::nullopt;
  const PointFormat format = io::choose_format(input.name(), input.head(), options.format).format;
  const std::uint64_t bytes = input.expected_size();
  // Of files in the page cache, on two cores: text .5, PLY with colours 1.6, coordinates alone 14 GB/s
  const double bytes_per_second = format == PointFormat::text ? .5e9 : 2e9;
  return CloudEstimate{static_cast<std::int64_t>(std::min(io::rows(format, input, bytes, options), bytes)),
                       static_cast<double>(bytes) / bytes_per_second};
} catch (const std::exception&) {
  return std::nullopt;  // reading the file will say what is wrong with it
}

}  // namespace kann
