// The reader of kann/io.hpp: opens, chooses the format, and hands the bytes to that format's file.
#include <new>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "io/input.hpp"
#include "io/npy_reader.hpp"
#include "io/ply_reader.hpp"
#include "io/refusal.hpp"
#include "io/sniff.hpp"
#include "io/text_reader.hpp"

namespace kann {
namespace {

Cloud read(PointFormat format, std::string_view bytes, const std::string& file) {
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

}  // namespace

Cloud read_points(const std::string& path, std::optional<PointFormat> format) try {
  if (path == "-" && !format)
    throw Error(ErrorKind::usage, "standard input needs its format; name it with --data-format or --query-format");

  Input input(path);
  if (input.head().empty()) refuse(input.name(), "empty file");
  const FormatChoice choice = choose_format(input.name(), input.head(), format);
  // Without its magic the reader refuses the file: the head is enough for that, and the rest may have no end.
  const bool may_be_read = input.head().starts_with(magic_of(choice.format));
  Cloud cloud = read(choice.format, may_be_read ? input.read_all() : input.head(), input.name());
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources, path + ": not enough host memory to read it");
}

}  // namespace kann
