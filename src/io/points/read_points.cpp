// read_points() of kann/io.hpp: opens the file, chooses its format and calls the reader of that format.
#include <new>
#include <utility>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "io/files/input.hpp"
#include "io/files/refusal.hpp"
#include "io/points/plain_rows.hpp"
#include "io/points/readers.hpp"
#include "io/points/sniff.hpp"

namespace kann::io {
namespace {

std::optional<PlainRows> plain_rows(PointFormat format, std::string_view head, const std::string& file) {
  if (format == PointFormat::ply) return plain_ply_rows(head, file);
  if (format == PointFormat::npy) return plain_npy_rows(head, file);
  return std::nullopt;
}

Cloud read_bytes(PointFormat format, std::string_view bytes, const std::string& file) {
  switch (format) {
    case PointFormat::ply:
      return read_ply(bytes, file);
    case PointFormat::text:
      return read_text(bytes, file);
    case PointFormat::npy:
      return read_npy(bytes, file);
  }
  throw Error(ErrorKind::internal, "a point format without a reader");
}

Cloud read(PointFormat format, Input& input, int threads) {
  // The reader refuses a file without the magic of its format: the head is enough, and the rest may be endless.
  if (!input.head().starts_with(magic_of(format))) return read_bytes(format, input.head(), input.name());
  if (const auto rows = plain_rows(format, input.head(), input.name()))
    if (auto points = read_plain(input, *rows, threads)) return {std::move(*points), {}};
  return read_bytes(format, input.read_all(), input.name());
}

}  // namespace
}  // namespace kann::io

namespace kann {

Cloud read_points(const std::string& path, std::optional<PointFormat> format, int threads) try {
  if (path == "-" && !format)
    throw Error(ErrorKind::usage, "standard input needs its format; name it with --data-format or --query-format");

  io::Input input(path);
  if (input.head().empty()) io::refuse(input.name(), "empty file");
  const io::FormatChoice choice = io::choose_format(input.name(), input.head(), format);
  Cloud cloud = io::read(choice.format, input, threads);
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources, path + ": not enough host memory to read it");
}

}  // namespace kann
