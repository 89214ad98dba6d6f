// Queries that do not resemble the data: the time of the shifted sort with its doubtful queries searched exactly,
// beside the shifted sort alone and the exact method.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "common/made_clouds.hpp"
#include "common/peers.hpp"
#include "common/recall.hpp"
#include "common/table.hpp"
#include "targets/targets.hpp"

namespace kann::bench {
namespace {

using Wanted = Report::Wanted;

/// The distance between points of the cloud surface, whose area is about that of the unit sphere.
double spacing(std::int64_t n) { return std::sqrt(4 * std::numbers::pi / static_cast<double>(n)); }

/// `queries` with every `every`-th point moved by `distance` along a fixed direction.
Points moved(Points queries, double distance, std::int64_t every) {
  constexpr double direction[] = {0.48, 0.6, 0.64};
  auto& coordinates = std::get<Array<float>>(queries.coordinates);
  for (std::int64_t i = 0; i < queries.size(); i += every)
    for (int a = 0; a < 3; ++a) coordinates[3 * i + a] += static_cast<float>(distance * direction[a]);
  return queries;
}

/// The unit cube, scaled to hold the surface.
Points in_the_box(Points uniform) {
  for (float& x : std::get<Array<float>>(uniform.coordinates)) x = 2.2f * x - 1.1f;
  return uniform;
}

}  // namespace

void measure_doubt(const Program& program, const TargetSettings& settings, Report& report) {
  const int log2 = settings.ugly_log2;
  const std::int64_t n = std::int64_t{1} << log2;
  const Points none;
  const auto wanted = [&](const char* kind) {
    return program.wants(Case{"doubt", kind, "fused", log2, 8, nullptr, &none}.name());
  };
  const Table table(report.text(), "Queries unlike the data, k = 8: ms of fused, its windows alone, and exact", 40,
                    {"case", "fused", "windows", "exact", "/slower", "recall"});
  const auto run = [&](const char* kind, const Points& data, const Points& queries) {
    Case c{"doubt", kind, "exact", log2, 8, &data, &queries};
    const Measured exact = measure_case(program, c, true);
    c.method = "windows";
    const Measured windows = measure_case(program, c, false);
    c.method = "fused";
    const Measured fused = measure_case(program, c, true);
    const double ratio = fused.time.device.best / std::max(exact.time.device.best, windows.time.device.best);
    const double recall = recall_against(fused.found, exact.found);
    Json record = case_json(c, fused);
    record["windows_ms"] = windows.time.device.best * 1e3;
    record["exact_ms"] = exact.time.device.best * 1e3;
    record["to_slower"] = ratio;
    record["recall"] = recall;
    report.add(record);
    table.row({c.name(), ms_text(fused.time.device.best), ms_text(windows.time.device.best),
               ms_text(exact.time.device.best), number_text(ratio, 2), number_text(recall, 4)});
    report.target(c.name() + " / the slower of windows and exact", ratio, Wanted::at_most, 1.5);
    report.target(c.name() + ": recall", recall, Wanted::at_least, k_min_recall);
  };

  const Points surface = make_cloud("surface", n, program.seed);
  const Points beside = make_cloud("surface", n, program.seed, Role::queries);
  for (const auto& [kind, spacings, every] :
       {std::tuple{"moved-2", 2.0, 1}, {"moved-9", 9.0, 1}, {"moved-100", 100.0, 1}, {"half-moved", 9.0, 2}})
    if (wanted(kind)) run(kind, surface, moved(beside, spacings * spacing(n), every));
  if (wanted("box")) run("box", surface, in_the_box(make_cloud("uniform", n, program.seed, Role::queries)));
  if (wanted("clumps"))
    run("clumps", make_cloud("clumps", n, program.seed), make_cloud("clumps", n, program.seed, Role::queries));
}

}  // namespace kann::bench
