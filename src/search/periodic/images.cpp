#include "search/periodic/images.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/threads/parallel.hpp"

namespace kann::detail {
namespace {

/// The places of a query and its images along one axis, the query first, and for each a lower bound of the difference
/// to any data point. Differences are rounded, but rounding is monotonic, so that the bound holds for them, too.
struct AxisImages {
  int count = 0;
  double at[3], gap[3];

  void add(double x, double lo, double hi) {
    at[count] = x;
    gap[count++] = std::max({0.0, lo - x, x - hi});
  }
};

}  // namespace

int append_images(const PeriodicBox& box, const geometry::Box& extent, const Position& query, double sq_radius,
                  Array<double>& out) {
  AxisImages axes[3];
  for (int a = 0; a < 3; ++a) {
    axes[a].add(query[a], extent.lo[a], extent.hi[a]);
    if (a >= box.dimensions() || !box.is_periodic(a)) continue;
    for (const double x : {query[a] - box.side(a), query[a] + box.side(a)}) {
      axes[a].add(x, extent.lo[a], extent.hi[a]);
      const double gap = axes[a].gap[axes[a].count - 1];
      if (gap * gap > sq_radius) --axes[a].count;
    }
  }

  int appended = 0;
  for (int i = 0; i < axes[0].count; ++i)
    for (int j = 0; j < axes[1].count; ++j)
      for (int k = 0; k < axes[2].count; ++k) {
        if (i + j + k == 0) continue;
        if (geometry::sq_distance_3d(axes[0].gap[i], axes[1].gap[j], axes[2].gap[k]) > sq_radius) continue;
        const Position image{axes[0].at[i], axes[1].at[j], axes[2].at[k]};
        out.insert(out.end(), image.begin(), image.begin() + box.dimensions());
        ++appended;
      }
  return appended;
}

void ImagedQueries::append(std::int64_t first, std::int64_t count, QueryPlaces& out) const {
  constexpr std::int64_t grain = 1024;
  std::vector<QueryPlaces> parts(static_cast<std::size_t>((count + grain - 1) / grain));
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    QueryPlaces& part = parts[static_cast<std::size_t>(begin / grain)];
    for (std::int64_t query = first + begin; query < first + end; ++query) {
      const Position at = position_of(queries, query);
      std::int64_t places = 0;
      if (const double sq_bound = sq_radius(query); sq_bound >= 0) {
        if (has_queries) part.positions.insert(part.positions.end(), at.begin(), at.begin() + queries.dimensions);
        places = has_queries + append_images(box, extent, at, sq_bound, part.positions);
      }
      if (places == 0 && !has_queries) continue;
      part.queries.push_back(query);
      part.begins.push_back(part.begins.back() + places);
    }
  });
  for (const QueryPlaces& part : parts) {
    const std::int64_t before = out.size();
    out.queries.insert(out.queries.end(), part.queries.begin(), part.queries.end());
    for (std::size_t i = 1; i < part.begins.size(); ++i) out.begins.push_back(before + part.begins[i]);
    out.positions.insert(out.positions.end(), part.positions.begin(), part.positions.end());
  }
}

NeighborLists lists_of_queries(const QueryPlaces& places, std::int64_t first, std::int64_t count,
                               const NeighborLists& found, int threads,
                               const std::function<bool(std::int64_t i, std::int32_t id)>& keeps) {
  using Row = std::vector<std::pair<float, std::int32_t>>;
  const auto row_of = [&](std::int64_t i, Row& row) {
    const std::int64_t before = places.begins[static_cast<std::size_t>(first)];
    const auto place = [&](std::int64_t query) { return places.begins[static_cast<std::size_t>(query)] - before; };
    row.clear();
    for (std::int64_t at = found.begins[place(first + i)]; at < found.begins[place(first + i + 1)]; ++at)
      if (!keeps || keeps(i, found.ids[at])) row.emplace_back(found.distances[at], found.ids[at]);
    if (place(first + i + 1) - place(first + i) <= 1) return;
    std::ranges::sort(row, {}, [](const auto& neighbor) { return std::pair(neighbor.second, neighbor.first); });
    const auto is_same = [](const auto& a, const auto& b) { return a.second == b.second; };
    row.erase(std::unique(row.begin(), row.end(), is_same), row.end());
    std::ranges::sort(row);
  };
  constexpr std::int64_t grain = 256;
  std::vector<NeighborLists> parts(static_cast<std::size_t>((count + grain - 1) / grain));
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    NeighborLists& part = parts[static_cast<std::size_t>(begin / grain)];
    Row row;
    for (std::int64_t i = begin; i < end; ++i) {
      row_of(i, row);
      part.begins.push_back(std::ssize(row));
      for (const auto& [distance, id] : row) {
        part.ids.push_back(id);
        part.distances.push_back(distance);
      }
    }
  });
  NeighborLists lists;
  lists.begins.push_back(0);
  for (NeighborLists& part : parts) {
    for (const std::int64_t size : part.begins) lists.begins.push_back(lists.begins.back() + size);
    lists.ids.insert(lists.ids.end(), part.ids.begin(), part.ids.end());
    lists.distances.insert(lists.distances.end(), part.distances.begin(), part.distances.end());
    part = {};
  }
  return lists;
}

void ImagedQueries::for_each(std::int64_t most, const std::function<void(const QueryPlaces&)>& f) const {
  const std::int64_t block = made_together(most), all = queries.size();
  for (std::int64_t end = 0; end < all;) {
    QueryPlaces places;
    for (; end < all && places.size() < most; end = std::min(end + block, all))
      append(end, std::min(block, all - end), places);
    if (!places.queries.empty()) f(places);
  }
}

}  // namespace kann::detail
