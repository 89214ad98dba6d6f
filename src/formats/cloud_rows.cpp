#include "formats/cloud_rows.hpp"

#include <memory>
#include <utility>

#include "kann/error.hpp"

#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/formats.hpp"
#include "formats/las/las_reader.hpp"
#include "formats/numpy/npy_reader.hpp"
#include "formats/numpy/npz_reader.hpp"
#include "formats/pcd/pcd_reader.hpp"
#include "formats/ply/ply_reader.hpp"
#include "formats/ply/ply_rows.hpp"
#include "formats/sniff.hpp"
#include "formats/text/text_reader.hpp"
#include "formats/vectors/vectors_reader.hpp"

namespace kann::formats {

RowCloud open_rows(std::shared_ptr<Input> input, PointFormat format, const ReadOptions& options) {
  Input& file = *input;
  switch (format) {
    case PointFormat::ply:
      // A file without the magic is refused by its head, as in read_points(): reading more of it could end in another
      // message.
      if (!format_of(format).has_magic_of(file.head())) read_ply(file.head(), file.name(), options);
      return ply_rows(std::move(input), options);
    case PointFormat::npy:
      return npy_rows(std::move(input), options);
    case PointFormat::npz:
      if (!format_of(format).has_magic_of(file.head()))
        return {.obstacle = "a file that does not begin like an archive"};
      return npz_rows(std::move(input), options);
    case PointFormat::text:
      return text_rows(std::move(input), options);
    case PointFormat::pcd:
      return pcd_rows(std::move(input), options);
    case PointFormat::las:
    case PointFormat::laz:
      return las_rows(std::move(input), options);
    case PointFormat::fvecs:
      return row_cloud(std::move(input), fvecs_layout(file, options), options.threads);
    case PointFormat::fbin:
      return row_cloud(std::move(input), fbin_layout(file, options), options.threads);
    case PointFormat::kitti:
      return row_cloud(std::move(input), kitti_layout(file, options), options.threads);
  }
  throw Error(ErrorKind::internal, "a point format without a reader");
}

RowCloud open_rows(const std::string& path, const ReadOptions& options) {
  check_read_options(options);
  if (path == "-") return {.obstacle = "a pipe"};
  auto input = std::make_shared<Input>(path);
  if (input->expected_size() == 0 && !input->head().empty()) return {.obstacle = "a pipe"};
  const FormatChoice choice = choose_format(input->name(), input->head(), options);
  RowCloud cloud = open_rows(std::move(input), choice.format, options);
  if (!choice.warning.empty()) cloud.warnings.insert(cloud.warnings.begin(), choice.warning);
  return cloud;
}

}  // namespace kann::formats
