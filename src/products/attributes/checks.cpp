#include <algorithm>
#include <cmath>
#include <string>

#include "kann/error.hpp"

#include "geometry/interpolation/shape.hpp"
#include "products/attributes/differences.hpp"
#include "products/attributes/methods.hpp"
#include "products/attributes/row_ids.hpp"

namespace kann {
namespace {

[[noreturn]] void refuse(ErrorKind kind, const std::string& message) { throw Error(kind, "transfer: " + message); }

std::string text_of(std::int64_t number) { return std::to_string(number); }

}  // namespace

void check_transfer_options(const TransferOptions& options) {
  if (options.threads < 0) refuse(ErrorKind::usage, "threads must be 0 (all) or more, not " + text_of(options.threads));
  const RbfOptions& rbf = options.rbf;
  if (rbf.degree < -1 || rbf.degree > 2)
    refuse(ErrorKind::usage, "the degree of the polynomial is -1 (none), 0, 1 or 2, not " + text_of(rbf.degree));
  if (!(rbf.epsilon > 0) || !std::isfinite(rbf.epsilon * rbf.epsilon) || rbf.epsilon * rbf.epsilon == 0)
    refuse(ErrorKind::usage, "epsilon must be positive, and finite and not 0 when squared");
  if (!(rbf.smoothing >= 0) || !std::isfinite(rbf.smoothing))
    refuse(ErrorKind::usage, "smoothing must be 0 or more, and finite");
  if (!options.periodic.empty() && options.method == TransferMethod::rbf)
    refuse(ErrorKind::usage, "rbf takes no periodic box; take idw");
}

namespace attributes {
namespace {

void check_attribute(const Attribute& attribute, const Transfer& t) {
  if (attribute.size() != t.data.size())
    refuse(ErrorKind::bad_input, "attribute \"" + attribute.name + "\" has " + text_of(attribute.size()) +
                                     " values, the data have " + text_of(t.data.size()) + " points");
  if (attribute.texts && t.options.method != TransferMethod::nearest && t.options.method != TransferMethod::vote)
    refuse(ErrorKind::bad_input, "attribute \"" + attribute.name + "\" is text; use nearest or vote");
  if (t.options.method == TransferMethod::vote && !attribute.is_whole())
    refuse(ErrorKind::bad_input, "attribute \"" + attribute.name +
                                     "\" has fractions, which vote does not take; use nearest, mean, idw or rbf");
}

}  // namespace

std::int64_t most_neighbors(const Rows& rows) {
  std::int64_t most = rows.k;
  for (std::size_t i = 1; i < rows.begins.size(); ++i) most = std::max(most, rows.begins[i] - rows.begins[i - 1]);
  return most;
}

void check(Transfer& t) {
  t.ids = checked_ids(t.rows, t.data.size(), t.threads, "transfer");
  if (t.rows.count != t.queries.size())
    refuse(ErrorKind::bad_input,
           text_of(t.rows.count) + " rows of neighbours for " + text_of(t.queries.size()) + " queries");
  for (const Attribute& attribute : t.attributes) check_attribute(attribute, t);
  const bool reads_coordinates = t.options.method == TransferMethod::rbf || t.options.method == TransferMethod::idw;
  if (!reads_coordinates) return;
  for (const PointsView* points : {&t.data, &t.queries})
    if (points->dimensions != 2 && points->dimensions != 3)
      refuse(ErrorKind::bad_input, "rbf and idw take points of 2 or 3 coordinates, not " + text_of(points->dimensions));
  if (t.data.dimensions != t.queries.dimensions)
    refuse(ErrorKind::bad_input,
           "data of " + text_of(t.data.dimensions) + " coordinates and queries of " + text_of(t.queries.dimensions));
  check_box(t.options.periodic, t.options.images, t.data.dimensions, "transfer");
  if (t.options.method != TransferMethod::rbf) return;
  if (const std::int64_t most = most_neighbors(t.rows); most > interpolation::k_max_points)
    refuse(ErrorKind::usage, "rbf takes at most " + text_of(interpolation::k_max_points) + " neighbours, not " +
                                 text_of(most) + "; search for fewer (k)");
}

}  // namespace attributes
}  // namespace kann
