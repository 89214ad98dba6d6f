#include "kann/shifts.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/row_images.hpp"
#include "products/attributes/differences.hpp"
#include "products/attributes/row_ids.hpp"

namespace kann {

Array<std::int32_t> image_shifts(const PointsView& data, const PointsView& queries, const Rows& rows,
                                 const ShiftOptions& options) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::bad_input, "shifts: " + what); };
  attributes::check_box(options.periodic, Images::all, data.dimensions, "shifts");
  if (rows.count != queries.size()) refuse("not a row for each query");
  const int threads = base::thread_count(options.threads);
  const std::span<const std::int32_t> ids = attributes::checked_ids(rows, data.size(), threads, "shifts");
  const geometry::PeriodicBox box(options.periodic);
  const auto d = static_cast<std::size_t>(data.dimensions);
  const auto position = [](const PointsView& points, std::int64_t i) {
    return geometry::Position{points.at(i, 0), points.at(i, 1), points.dimensions == 3 ? points.at(i, 2) : 0};
  };
  Array<std::int32_t> shifts(ids.size() * d);
  std::ranges::fill(shifts, 0);
  constexpr std::int64_t grain = 256;
  base::parallel_chunks(rows.count, grain, threads, [&](std::int64_t first, std::int64_t last) {
    geometry::RowImages images(box);
    for (std::int64_t query = first; query < last; ++query) {
      const auto [begin, end] = rows.row(query);
      const auto in_row = ids.subspan(begin, end - begin);
      const auto found = images.of(
          position(queries, query), in_row, rows.distances.subspan(begin, end - begin),
          [&](std::size_t i) { return position(data, in_row[i]); },
          options.half_of.empty() ? -1 : options.half_of[static_cast<std::size_t>(query)]);
      if (found.size() < in_row.size())
        refuse("row " + std::to_string(rows.first + query) +
               " is not that of a search in this periodic box, or has points too far from it; move them into the box");
      for (std::size_t i = 0; i < found.size(); ++i)
        for (std::size_t a = 0; a < d; ++a) {
          const double shift = found[i].shift[a];
          if (!(std::abs(shift) <= std::numeric_limits<std::int32_t>::max()))
            refuse("row " + std::to_string(rows.first + query) +
                   ": an image is more than 2^31 vectors of the box away; "
                   "move the points into it");
          shifts[(begin + i) * d + a] = static_cast<std::int32_t>(shift);
        }
    }
  });
  return shifts;
}

}  // namespace kann
