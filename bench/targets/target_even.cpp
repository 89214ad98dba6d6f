// Time of exact on even data, against k and the number of queries, and with queries that are not spread as the data
// are.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/made_clouds.hpp"
#include "common/morton_order.hpp"
#include "common/table.hpp"
#include "targets/targets.hpp"

namespace kann::bench {
namespace {

constexpr int k_max_k = 64;
constexpr int k_some[] = {1, 3, 4, 8, 12, 16, 17, 24, 31, 32, 33, 48, 64};

/// Queries for the cloud `kind`, which is even.
struct Queries {
  std::string name;         ///< of the cloud of queries; "" for a self-query
  double to_data;           ///< how many there are, relative to the data
  bool is_ordered = false;  ///< along the Morton curve, instead of in a random order
  bool is_every_k = false;  ///< whether all k from 1 to 64 are measured, instead of some
};

std::vector<Queries> queries_for(const std::string& kind) {
  std::vector<Queries> all = {{kind, 1, false, true}, {"", 1, false, true}, {kind, 2},       {kind, 0.5},
                              {kind, 0.25},           {kind, 0.125},        {kind, 1.0 / 64}};
  if (kind == "uniform") {
    all.push_back({kind, 1, true});
    for (const char* other : {"surface", "clusters"}) all.push_back({other, 1});
  } else {
    for (const char* other : {"blobs", "streets"}) all.push_back({other, 1});
  }
  return all;
}

/// The points of a 3-D cloud along the Morton curve.
Points in_morton_order(const Points& points, int threads) {
  const auto& from = std::get<Array<float>>(points.coordinates);
  Array<float> to(from.size());
  std::size_t next = 0;
  for (const std::uint32_t row : morton_order(from.data(), points.size(), threads))
    for (std::size_t axis = 0; axis < 3; ++axis) to[next++] = from[std::size_t{row} * 3 + axis];
  return {3, std::move(to)};
}

}  // namespace

void measure_even(const Program& program, const TargetSettings& settings, Report& report) {
  const std::int64_t n = std::int64_t{1} << settings.log2;
  const Table table(report.text(), "Even data, exact: device ms", 52, {"case", "best", "worst", "sort", "search"});
  for (const std::string kind : {"uniform", "square"}) {
    Points data;
    for (const Queries& q : queries_for(kind)) {
      const auto m = static_cast<std::int64_t>(q.to_data * static_cast<double>(n));
      Points queries;
      for (int k = 1; k <= k_max_k; ++k) {
        if (!q.is_every_k && std::find(std::begin(k_some), std::end(k_some), k) == std::end(k_some)) continue;
        const std::string group =
            "even-" + (q.name.empty() ? "self" : q.name) + (q.is_ordered ? "-ordered" : "") + fmt::format("-{}", m);
        Case c{group, kind, "exact", settings.log2, k, &data, q.name.empty() ? nullptr : &queries};
        if (!program.wants(c.name())) continue;
        if (data.size() == 0) data = make_cloud(kind, n, program.seed);
        if (c.queries && queries.size() == 0) {
          queries = make_cloud(q.name, m, program.seed, Role::queries);
          if (q.is_ordered) queries = in_morton_order(queries, program.threads);
        }
        const Measured measured = measure_case(program, c, false);
        report.add(case_json(c, measured));
        table.row({c.name(), ms_text(measured.time.device.best), ms_text(measured.time.device.worst),
                   ms_text(measured.time.steps.sort), ms_text(measured.time.steps.select)});
      }
    }
  }
}

}  // namespace kann::bench
