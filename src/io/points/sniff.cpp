#include "io/points/sniff.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "kann/error.hpp"

#include "io/files/refusal.hpp"
#include "io/points/text_layout.hpp"

namespace kann::io {
namespace {

using namespace std::string_view_literals;

/// A format that is recognised but not read.
struct UnsupportedFormat {
  std::string_view extension;  ///< lower case, no dot; empty if only the content shows the format
  std::string_view magic;      ///< first bytes; empty if only the extension shows the format
  std::string_view name;
  std::string_view remedy;
};

constexpr std::string_view k_las_remedy = "convert it, e.g. with 'pdal translate in.laz out.ply' or CloudCompare";
constexpr std::string_view k_e57_remedy = "convert it, e.g. with 'pdal translate in.e57 out.ply' or CloudCompare";
constexpr std::string_view k_pcd_remedy = "convert it, e.g. with pcl_pcd2ply or 'pdal translate in.pcd out.ply'";
constexpr std::string_view k_numpy_remedy = "save the points with numpy.save as an array of shape (n, 3)";
constexpr std::string_view k_utf16_remedy = "convert it, e.g. with 'iconv -f UTF-16 -t UTF-8'";

constexpr auto k_unsupported = std::to_array<UnsupportedFormat>({
    {"gz", "\x1f\x8b"sv, "gzip", "decompress it first, e.g. with gunzip"},
    {"bz2", "BZh"sv, "bzip2", "decompress it first, e.g. with bunzip2"},
    {"xz", "\xfd\x37zXZ\0"sv, "xz", "decompress it first, e.g. with unxz"},
    {"zst", "\x28\xb5\x2f\xfd"sv, "zstd", "decompress it first, e.g. with unzstd"},
    {"npz", "PK\x03\x04"sv, "zip or NPZ", k_numpy_remedy},
    {"las", "LASF"sv, "LAS or LAZ", k_las_remedy},
    {"laz", "", "LAZ", k_las_remedy},
    {"e57", "ASTM-E57"sv, "E57", k_e57_remedy},
    {"pcd", "# .PCD"sv, "PCD", k_pcd_remedy},
    {"", "VERSION 0.7"sv, "PCD", k_pcd_remedy},
    {"", "VERSION .7"sv, "PCD", k_pcd_remedy},
    {"fvecs", "", "fvecs", k_numpy_remedy},
    {"fbin", "", "fbin", k_numpy_remedy},
    {"", "\xff\xfe"sv, "UTF-16", k_utf16_remedy},
    {"", "\xfe\xff"sv, "UTF-16", k_utf16_remedy},
    {"", "p\0l\0y\0"sv, "UTF-16", k_utf16_remedy},
    {"", "\0p\0l\0y"sv, "UTF-16", k_utf16_remedy},
});

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

/// The format whose magic `head` begins with, if it is one of those that are read.
std::optional<PointFormat> format_by_magic(std::string_view head) {
  if (head.starts_with("ply\n") || head.starts_with("ply\r")) return PointFormat::ply;
  if (head.starts_with(magic_of(PointFormat::npy))) return PointFormat::npy;
  return std::nullopt;
}

std::string_view name_of(PointFormat format) {
  return format == PointFormat::ply ? "PLY" : format == PointFormat::npy ? "NPY" : "text";
}

[[noreturn]] void refuse_unsupported(const std::string& file, const UnsupportedFormat& unsupported) {
  refuse(file, fmt::format("{} is not read; {}", unsupported.name, unsupported.remedy));
}

/// Raw floats, as in KITTI's scans: the file does not say how many a point has.
[[noreturn]] void refuse_raw(const std::string& file) {
  refuse(file,
         "raw float32 is not read; convert it with numpy, for four values a point: "
         "numpy.save(\"x.npy\", numpy.fromfile(\"x.bin\", \"f4\").reshape(-1, 4)[:, :3])");
}

}  // namespace

std::string_view magic_of(PointFormat format) {
  return format == PointFormat::ply ? "ply" : format == PointFormat::npy ? "\x93NUMPY" : "";
}

FormatChoice choose_format(const std::string& file, std::string_view head, std::optional<PointFormat> requested) {
  for (const UnsupportedFormat& unsupported : k_unsupported)
    if (!unsupported.magic.empty() && head.starts_with(unsupported.magic)) refuse_unsupported(file, unsupported);
  if (requested) return {*requested, {}};

  const std::string extension = extension_of(file);
  const std::optional<PointFormat> by_extension = point_format(extension);
  if (const auto by_magic = format_by_magic(head)) {
    if (by_extension && by_extension != by_magic)
      return {*by_magic, fmt::format("{}: read as {}, which its content is; its extension says {}", file,
                                     name_of(*by_magic), name_of(*by_extension))};
    return {*by_magic, {}};
  }
  if (by_extension) return {*by_extension, {}};

  for (const UnsupportedFormat& unsupported : k_unsupported)
    if (!extension.empty() && unsupported.extension == extension) refuse_unsupported(file, unsupported);
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
