#include "io/points/sniff.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "kann/error.hpp"

#include "io/points/refusal.hpp"
#include "io/points/text_layout.hpp"

namespace kann::io {
namespace {

using namespace std::string_view_literals;

/// A format that is recognised and not read.
struct Foreign {
  std::string_view extension;  ///< lower case, no dot; empty where content alone tells
  std::string_view magic;      ///< first bytes; empty where the extension alone tells
  std::string_view name;
  std::string_view way_out;
};

constexpr std::string_view k_las_way = "convert it, e.g. with 'pdal translate in.laz out.ply' or CloudCompare";
constexpr std::string_view k_e57_way = "convert it, e.g. with 'pdal translate in.e57 out.ply' or CloudCompare";
constexpr std::string_view k_pcd_way = "convert it, e.g. with pcl_pcd2ply or 'pdal translate in.pcd out.ply'";
constexpr std::string_view k_numpy_way = "save the points with numpy.save as an array of shape (n, 3)";
constexpr std::string_view k_utf16_way = "convert it, e.g. with 'iconv -f UTF-16 -t UTF-8'";

constexpr std::array k_foreign = {
    Foreign{"gz", "\x1f\x8b"sv, "gzip", "decompress it first, e.g. with gunzip"},
    Foreign{"bz2", "BZh"sv, "bzip2", "decompress it first, e.g. with bunzip2"},
    Foreign{"xz", "\xfd\x37zXZ\0"sv, "xz", "decompress it first, e.g. with unxz"},
    Foreign{"zst", "\x28\xb5\x2f\xfd"sv, "zstd", "decompress it first, e.g. with unzstd"},
    Foreign{"npz", "PK\x03\x04"sv, "zip or NPZ", k_numpy_way},
    Foreign{"las", "LASF"sv, "LAS or LAZ", k_las_way},
    Foreign{"laz", "", "LAZ", k_las_way},
    Foreign{"e57", "ASTM-E57"sv, "E57", k_e57_way},
    Foreign{"pcd", "# .PCD"sv, "PCD", k_pcd_way},
    Foreign{"", "VERSION 0.7"sv, "PCD", k_pcd_way},
    Foreign{"", "VERSION .7"sv, "PCD", k_pcd_way},
    Foreign{"fvecs", "", "fvecs", k_numpy_way},
    Foreign{"fbin", "", "fbin", k_numpy_way},
    Foreign{"", "\xff\xfe"sv, "UTF-16", k_utf16_way},
    Foreign{"", "\xfe\xff"sv, "UTF-16", k_utf16_way},
    Foreign{"", "p\0l\0y\0"sv, "UTF-16", k_utf16_way},
    Foreign{"", "\0p\0l\0y"sv, "UTF-16", k_utf16_way},
};

constexpr std::array<std::pair<std::string_view, PointFormat>, 5> k_formats = {{
    {"ply", PointFormat::ply},
    {"xyz", PointFormat::text},
    {"txt", PointFormat::text},
    {"csv", PointFormat::text},
    {"npy", PointFormat::npy},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string extension_of(const std::string& file) {
  const std::string dotted = std::filesystem::path(file).extension().string();
  return lower(std::string_view(dotted).substr(dotted.empty() ? 0 : 1));
}

/// The format whose magic `head` begins with, if we read one that has a magic.
std::optional<PointFormat> format_by_magic(std::string_view head) {
  if (head.starts_with("ply\n") || head.starts_with("ply\r")) return PointFormat::ply;
  if (head.starts_with(magic_of(PointFormat::npy))) return PointFormat::npy;
  return std::nullopt;
}

std::string_view title(PointFormat format) {
  return format == PointFormat::ply ? "PLY" : format == PointFormat::npy ? "NPY" : "text";
}

[[noreturn]] void refuse_foreign(const std::string& file, const Foreign& foreign) {
  refuse(file, fmt::format("{} is not read; {}", foreign.name, foreign.way_out));
}

/// KITTI's scans and their like: floats, and nothing that says how many there are to a point.
[[noreturn]] void refuse_raw(const std::string& file) {
  refuse(file,
         "raw float32 is not read; convert it with numpy, for four values a point: "
         "numpy.save(\"x.npy\", numpy.fromfile(\"x.bin\", \"f4\").reshape(-1, 4)[:, :3])");
}

}  // namespace

std::string_view magic_of(PointFormat format) {
  return format == PointFormat::ply ? "ply" : format == PointFormat::npy ? "\x93NUMPY" : "";
}

FormatChoice choose_format(const std::string& file, std::string_view head, std::optional<PointFormat> asked) {
  for (const Foreign& foreign : k_foreign)
    if (!foreign.magic.empty() && head.starts_with(foreign.magic)) refuse_foreign(file, foreign);
  if (asked) return {*asked, {}};

  const std::string extension = extension_of(file);
  const std::optional<PointFormat> by_extension = point_format(extension);
  if (const auto by_magic = format_by_magic(head)) {
    if (by_extension && by_extension != by_magic)
      return {*by_magic, fmt::format("{}: read as {}, which its content is; its extension says {}", file,
                                     title(*by_magic), title(*by_extension))};
    return {*by_magic, {}};
  }
  if (by_extension) return {*by_extension, {}};

  for (const Foreign& foreign : k_foreign)
    if (!extension.empty() && foreign.extension == extension) refuse_foreign(file, foreign);
  if (guess_text_layout(head).is_certain || begins_with_count(head)) return {PointFormat::text, {}};
  if (extension == "bin") refuse_raw(file);
  throw Error(ErrorKind::usage, fmt::format("{}: cannot tell its format; name it with --data-format or --query-format "
                                            "(ply, xyz, txt, csv or npy)",
                                            file));
}

}  // namespace kann::io

namespace kann {

std::optional<PointFormat> point_format(std::string_view name) {
  const auto& formats = io::k_formats;
  const auto* const found = std::ranges::find(formats, io::lower(name), [](const auto& entry) { return entry.first; });
  return found == formats.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kann
