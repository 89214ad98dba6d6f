// Time and memory from 2¹⁰ to 2²⁷ points and as many queries.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "common/made_clouds.hpp"
#include "common/peers.hpp"
#include "common/table.hpp"
#include "targets/targets.hpp"

namespace kann::bench {
namespace {

using Wanted = Report::Wanted;
constexpr int k_k = 8;
constexpr int k_base_log2 = 20;  // larger sizes are compared with this one

}  // namespace

void measure_scaling(const Program& program, const TargetSettings& settings, Report& report) {
  const auto name = [](int log2, const char* method) {
    return fmt::format("scaling/uniform/2^{}/k{}/{}/separate", log2, k_k, method);
  };
  const auto wanted = [&](int log2) {
    return log2 <= settings.max_log2 &&
           (program.wants(name(log2, "shifted-sort")) || program.wants(name(log2, "exact")));
  };
  std::vector<int> sizes;
  for (int log2 = 10; log2 <= 26; log2 += 2) sizes.push_back(log2);
  sizes.push_back(27);
  if (std::none_of(sizes.begin(), sizes.end(), wanted)) return;

  const Table table(report.text(), "Scaling, uniform, k = 8: device and wall ms, ns per query, relative to 2^20", 40,
                    {"case", "best", "worst", "wall", "ns/query", "/2^20", "B/(n+m)", "/2^20"});
  std::map<std::string, std::pair<double, double>> base;  // seconds and bytes per point, by method
  for (const int log2 : sizes) {
    if (!wanted(log2)) continue;
    const std::int64_t n = std::int64_t{1} << log2;
    const Points data = make_cloud("uniform", n, program.seed);
    const Points queries = make_cloud("uniform", n, program.seed, Role::queries);
    for (const std::string method : {"shifted-sort", "exact"}) {
      const Case c{"scaling", "uniform", method, log2, k_k, &data, &queries};
      if (!program.wants(c.name())) continue;
      const Measured m = measure_case(program, c, false);
      const double seconds = m.time.device.best / static_cast<double>(n), bytes = m.bytes_per_point();
      if (log2 == k_base_log2) base[method] = {seconds, bytes};
      const bool known = base.contains(method);
      const double time_ratio = known ? seconds / base[method].first : 0;
      const double bytes_ratio = known && base[method].second > 0 ? bytes / base[method].second : 0;
      Json record = case_json(c, m);
      record["ns_per_query"] = seconds * 1e9;
      if (known) record["time_to_2^20"] = time_ratio;
      if (known) record["bytes_to_2^20"] = bytes_ratio;
      report.add(record);
      table.row({c.name(), ms_text(m.time.device.best), ms_text(m.time.device.worst), ms_text(m.time.wall.best),
                 number_text(seconds * 1e9, 2), known ? number_text(time_ratio, 2) : "", number_text(bytes, 1),
                 known ? number_text(bytes_ratio, 2) : ""});
      if (!program.on_cuda()) continue;
      if (log2 == 10) report.target(c.name() + ": wall, ms", m.time.wall.best * 1e3, Wanted::at_most, k_small_ms);
      if (log2 > k_base_log2 && known) {
        report.target(c.name() + ": time a point / 2^20's", time_ratio, Wanted::at_most, k_linear);
        report.target(c.name() + ": bytes a point / 2^20's", bytes_ratio, Wanted::at_most, k_linear);
      }
    }
  }
}

}  // namespace kann::bench
