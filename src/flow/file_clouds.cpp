#include "flow/file_clouds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <system_error>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/sources/file_source.hpp"
#include "flow/sources/grid_source.hpp"
#include "formats/cloud_rows.hpp"
#include "problem/prepare.hpp"

namespace kann::flow {
namespace {

/// What a rank sees of a cloud, to tell it from another.
struct Seen {
  std::int64_t points;
  std::uint64_t hash;  ///< over points from places all over the cloud

  bool operator==(const Seen&) const = default;
};

Seen look_at(const PointSource& cloud) {
  constexpr std::int64_t most = 64;
  Seen seen{cloud.size(), 0};
  const auto add = [&](std::int64_t, const PointsView& points) {
    for (std::int64_t i = 0; i < points.size(); ++i)
      for (int a = 0; a < points.dimensions; ++a)
        seen.hash = (seen.hash ^ std::bit_cast<std::uint64_t>(points.at(i, a))) * 0x100000001b3;
  };
  constexpr std::int64_t places = 256;
  for (std::int64_t i = 0; i <= places; ++i) {
    const std::int64_t first = std::max<std::int64_t>(0, cloud.size() - most) / places * i;
    cloud.for_each_block(first, std::min(cloud.size(), first + most), most, add);
  }
  return seen;
}

/// Refuses a cloud that is not the same for all ranks, as on hosts whose folders differ: by its size, and by points
/// from all over it. All ranks call it; it blocks.
void check_same(const PointSource& cloud, Communicator& ranks) {
  if (ranks.is_alone()) return;
  const std::vector<Seen> seen = ranks.gather_value(look_at(cloud));
  for (std::size_t r = 1; r < seen.size(); ++r)
    if (seen[r] != seen[0])
      throw Error(ErrorKind::bad_input, fmt::format("{}: rank {} sees another file than rank 0 ({} points, and {})",
                                                    cloud.name(), r, seen[r].points, seen[0].points));
}

/// Null, with the obstacle in `clouds`, if the file can only be read as a whole.
std::unique_ptr<FileSource> open_file(const std::string& path, const formats::ReadRequest& options, Communicator& ranks,
                                      base::MemoryBudget& memory, FileClouds& clouds) {
  std::error_code ignored;
  clouds.written.emplace_back(path, std::filesystem::last_write_time(path, ignored));
  formats::RowCloud cloud = formats::open_rows(path, options);
  if (!cloud.rows) {
    clouds.obstacle = fmt::format("{}: {} can only be read as a whole", path, cloud.obstacle);
    return nullptr;
  }
  std::ranges::move(cloud.warnings, std::back_inserter(clouds.warnings));
  const std::int64_t n = cloud.rows->size();
  auto source = std::make_unique<FileSource>(path, std::move(cloud.rows), share_begin(n, ranks.size(), ranks.rank()),
                                             share_begin(n, ranks.size(), ranks.rank() + 1), options.threads, &memory);
  check_same(*source, ranks);
  return source;
}

}  // namespace

void FileClouds::check_unchanged() const {
  for (const auto& [path, before] : written) {
    std::error_code ignored;
    if (std::filesystem::last_write_time(path, ignored) != before)
      throw Error(ErrorKind::bad_input, path + ": changed while it was searched");
  }
}

FileClouds open_clouds(const FileRequest& request, base::MemoryBudget& memory) {
  Communicator& ranks = request.ranks;
  FileClouds clouds;
  clouds.data = open_file(request.data, request.of_data, ranks, memory, clouds);
  if (request.query && clouds.data) clouds.query = open_file(*request.query, request.of_query, ranks, memory, clouds);
  if (!clouds.obstacle.empty()) return clouds;

  const CloudSource& data = *clouds.data;
  if (request.query)
    problem::check_dimensions(data.dimensions(), data.name(), clouds.query->dimensions(), clouds.query->name());
  problem::check_sides(request.search, data.dimensions(), data.name());
  if (request.grid_step) {
    constexpr std::int64_t read_points = 1 << 16;
    const int threads = request.of_data.threads;
    clouds.grid = request.grid ? request.grid
                               : grid_over(data, *request.grid_step, request.search.sky.has_value(), read_points,
                                           base::thread_count(threads), ranks);
    clouds.query = std::make_unique<GridSource>(data.name(), *clouds.grid, threads, &memory);
  }
  return clouds;
}

}  // namespace kann::flow
