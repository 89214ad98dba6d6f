#include "cli/asked/products_asked.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "products/statistics/statistics_bytes.hpp"

namespace kann::cli {
namespace {

bool asks_for_statistics(const Options& o) { return o.stats || o.verbose || o.json || o.report || o.has_page; }

}  // namespace

ProductsAskedFor::ProductsAskedFor(const Options& o, const OutputFiles& files)
    : columns(o.outliers || !o.transfer.empty() || !o.features.empty()),
      cloud(o.cloud_format),
      table(o.writes_table()),
      pairs(o.join || o.match),
      picture(files.picture || (o.html && o.draws())),
      statistics(asks_for_statistics(o)),
      checks(o.verify || o.compare),
      vectors(o.writes_vectors()) {}

bool only_writes_rows(const Options& o) {
  std::error_code ignored;
  const bool is_file = o.writes_result() && o.output != "-" && !std::filesystem::is_other(o.output, ignored);
  return is_file && o.output_format && formats::has_places_of_rows(*o.output_format) && !o.output_per_rank &&
         !o.draws() && !ProductsAskedFor(o, {}).needs_rows(*o.output_format);
}

flow::ProductShape product_shape(const Options& o) {
  flow::ProductShape shape;
  const bool has_shapes = !shapes_of(o).empty();
  shape.reads_queries = o.cloud_format || o.draws() || !o.transfer.empty() || has_shapes || o.compare ||
                        o.writes_table() || o.writes_vectors();
  shape.reads_data = !o.transfer.empty() || has_shapes || o.compare || o.writes_join() || o.writes_vectors();
  shape.has_reference = o.compare.has_value();
  shape.columns = static_cast<int>(o.transfer.size() + feature_column_names(o).size()) + (o.outliers ? 1 : 0) +
                  (o.cloud_format ? 4 : 0) + (o.draws() ? o.sky ? 3 : 1 : 0) + (o.cluster ? 1 : 0) +
                  (o.writes_table() ? 3 : 0) + (o.match ? 2 : 0) + static_cast<int>(2 * o.keep.all.size()) +
                  (o.writes_vectors() ? 2 * static_cast<int>(o.search.k) : 0);
  if (std::ranges::any_of(o.transfer_by, [](const TransferBy& by) { return by.method == TransferMethod::rbf; })) {
    // It works in float64, on copies of both clouds; each query has also a state, and its place in lists
    shape.columns += 3;
    shape.data_copies = static_cast<double>((3 + o.transfer.size()) * sizeof(double));
  }
  // Points by their groups, and rows of float64 while those of several groups are merged
  if (o.has_groups()) shape.columns += o.other_group ? 8 + 2 * static_cast<int>(o.search.k) : 6;
  if (o.has_limits()) shape.columns += 4 + 2 * static_cast<int>(o.search.k);  // longer rows, and the limits
  if (o.draws()) shape.fixed = picture_bytes(o);
  if (std::ranges::count(o.features, "lof") > 0) shape.held = LocalOutlierFactors::k_bytes_per_point;
  if (asks_for_statistics(o)) shape.fixed += statistics::statistics_bytes(o.search.k, o.search.threads);
  return shape;
}

double picture_bytes(const Options& options) {
  constexpr double bytes_per_pixel = 24;
  const PictureSize size = options.picture_size.value_or(PictureSize());
  return bytes_per_pixel * size.width * size.height;
}

}  // namespace kann::cli
