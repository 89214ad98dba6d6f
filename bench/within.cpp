// All neighbours within a radius: lists and counts by an index whose data are in order, for self-queries whose rows
// have 8, 30 and 200 neighbours on average.
#include <fmt/format.h>
#include <string>
#include <utility>

#include "kann/index.hpp"
#include "kann/radius.hpp"

#include "common/made_clouds.hpp"
#include "common/program.hpp"
#include "common/spread.hpp"
#include "common/table.hpp"

namespace kann::bench {
namespace {

/// The radius with so many neighbours on average, found by bisection on the counts of every 64th point.
double radius_with(const Index& index, const Points& cloud, double neighbors, SearchOptions options) {
  Points some{cloud.dimensions, Array<float>()};
  auto& sampled = std::get<Array<float>>(some.coordinates);
  for (std::int64_t i = 0; i < cloud.size(); i += 64)
    for (int a = 0; a < cloud.dimensions; ++a) sampled.push_back(static_cast<float>(cloud.at(i, a)));
  double low = 0, high = 1;
  for (int step = 0; step < 40; ++step) {
    options.radius = (low + high) / 2;
    const double found = static_cast<double>(index.count_radius(some, options).lists.neighbors());
    (found / static_cast<double>(some.size()) - 1 < neighbors ? low : high) = *options.radius;
  }
  return high;
}

}  // namespace

int main_of(int argc, char** argv) {
  Program program("within", "Times searches for all neighbours within a radius.");
  int points = 1'000'000;
  program.option("--points", points, "points of each cloud");
  return program.run(argc, argv, [&](Report& report) {
    const Table table(report.text(), fmt::format("{} points, self-queries; ms", points), 16,
                      {"", "pairs", "count", "lists", "of it search", "sort", "download", "Gpairs/s"});
    for (const std::string kind : {"uniform", "surface", "clusters"}) {
      if (!program.wants(kind)) continue;
      const Points cloud = make_cloud(kind, points, program.seed);
      const Index index(cloud);
      SearchOptions options;
      options.device = program.choice();
      options.threads = program.threads;
      for (const int neighbors : {8, 30, 200}) {
        options.radius = radius_with(index, cloud, neighbors, options);
        const Spread counts =
            measure(program.repeat, [&] { return index.count_radius_self(options).report.total_seconds; });
        SearchReport best;
        std::int64_t pairs = 0;
        const Spread lists = measure(program.repeat, [&] {
          RadiusResult result = index.search_radius_self(options);
          pairs = result.lists.neighbors();
          const double seconds = result.report.total_seconds;
          if (best.total_seconds == 0 || seconds < best.total_seconds) best = std::move(result.report);
          return seconds;
        });
        // What a device does, without the copies of queries and results; on the CPU, all of it
        const double work = program.on_cuda() ? best.steps.select + best.steps.rows : lists.best;
        const double rate = static_cast<double>(pairs) / work / 1e9;
        const auto ms = [](double seconds) { return fmt::format("{:.2f}", 1e3 * seconds); };
        table.row({fmt::format("{} {}", kind, neighbors), fmt::format("{}", pairs), ms(counts.best), ms(lists.best),
                   ms(best.steps.select), ms(best.steps.rows), ms(best.steps.download), fmt::format("{:.2f}", rate)});
        report.add({{"measurement", "within/" + kind},
                    {"neighbors", neighbors},
                    {"radius", *options.radius},
                    {"pairs", pairs},
                    {"count_ms", ms_json(counts)},
                    {"lists_ms", ms_json(lists)},
                    {"steps_ms", steps_json(best.steps)},
                    {"gpairs_per_s", rate}});
      }
    }
  });
}

}  // namespace kann::bench

int main(int argc, char** argv) { return kann::bench::main_of(argc, argv); }
