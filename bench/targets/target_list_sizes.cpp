// Time against k, from 1 to 1,024, of the shifted sort and exact.
#include <algorithm>
#include <fmt/format.h>

#include "common/made_clouds.hpp"
#include "common/peers.hpp"
#include "common/recall.hpp"
#include "common/table.hpp"
#include "targets/targets.hpp"

namespace kann::bench {
namespace {

using Wanted = Report::Wanted;
constexpr int k_max_kept = 64;    // larger answers do not fit next to each other in most hosts' memory
constexpr int k_other_from = 32;  // clouds other than uniform are measured from here
constexpr int k_list_sizes[] = {1, 2, 4, 8, 16, 24, 32, 33, 48, 64, 100, 128, 200, 256, 512, 1024};

/// Lists past 1,024, of as many queries as make 2²⁹ neighbours.
void measure_longer(const Program& program, const TargetSettings& settings, Report& report) {
  const Points none;
  const Table table(report.text(), "Longer lists, uniform, exact: device ms, ns per neighbour", 40,
                    {"case", "queries", "best", "worst", "ns/neighbour"});
  for (const int k : {4096, 65536}) {
    Case c{"long-lists", "uniform", "exact", settings.log2, k, nullptr, &none};
    if (!program.on_cuda() || !program.wants(c.name())) continue;
    const std::int64_t m = (std::int64_t{1} << 29) / k;
    const Points data = make_cloud("uniform", std::int64_t{1} << settings.log2, program.seed);
    const Points queries = make_cloud("uniform", m, program.seed, Role::queries);
    c.data = &data;
    c.queries = &queries;
    const Measured measured = measure_case(program, c, false);
    const double ns = measured.time.device.best * 1e9 / (static_cast<double>(m) * k);
    Json record = case_json(c, measured);
    record["queries"] = m;
    record["ns_per_neighbor"] = ns;
    report.add(record);
    table.row({c.name(), std::to_string(m), ms_text(measured.time.device.best), ms_text(measured.time.device.worst),
               number_text(ns, 4)});
    report.target(c.name() + ": ns per neighbour", ns, Wanted::at_most, k_long_list_ns);
  }
}

}  // namespace

void measure_list_sizes(const Program& program, const TargetSettings& settings, Report& report) {
  const Points none;
  const auto case_of = [&](const std::string& cloud, int k, const std::string& method) {
    return Case{"list-sizes", cloud, method, settings.log2, k, nullptr, &none};
  };
  const auto wanted = [&](const std::string& cloud, int k) {
    return (cloud == "uniform" || k >= k_other_from) && (program.wants(case_of(cloud, k, "exact").name()) ||
                                                         program.wants(case_of(cloud, k, "shifted-sort").name()));
  };
  const Table table(report.text(), "Time against k: device ms, ns per neighbour, recall of shifted-sort", 44,
                    {"case", "best", "worst", "target", "peer", "ns/neighbour", "recall"});
  const std::int64_t n = std::int64_t{1} << settings.log2;
  for (const std::string& cloud : k_clouds) {
    if (std::none_of(std::begin(k_list_sizes), std::end(k_list_sizes), [&](int k) { return wanted(cloud, k); }))
      continue;
    const Points data = make_cloud(cloud, n, program.seed);
    const Points queries = make_cloud(cloud, n, program.seed, Role::queries);
    Verdicts verdicts(program, settings.judged_queries);
    for (const int k : k_list_sizes) {
      if (!wanted(cloud, k)) continue;
      Neighbors exact;
      for (const std::string method : {"exact", "shifted-sort"}) {
        Case c = case_of(cloud, k, method);
        if (!program.wants(c.name()) || (method == "shifted-sort" && k > k_max_shifted_k)) continue;
        c.data = &data;
        c.queries = &queries;
        Measured m = measure_case(program, c, k <= k_max_kept);
        const double seconds = m.time.device.best;
        const double ns = seconds * 1e9 / (static_cast<double>(n) * k);
        Json record = case_json(c, m);
        record["ns_per_neighbor"] = ns;
        const auto peer = settings.log2 == k_peer_log2 ? best_peer_ms(cloud, k) : std::nullopt;
        const auto target = settings.log2 == k_peer_log2 ? target_ms(method, cloud, k) : std::nullopt;
        if (peer) record["best_peer_ms"] = *peer;
        if (target) record["target_ms"] = *target;
        std::string recall;
        if (method == "exact" && k <= k_max_kept) {
          exact = std::move(m.found);
        } else if (exact.k == k) {
          record["recall"] = recall_against(m.found, exact);
          report.target(c.name() + ": recall", record["recall"], Wanted::at_least, k_min_recall);
          recall = number_text(record["recall"].get<double>(), 4);
        }
        report.add(record);
        table.row({c.name(), ms_text(seconds), ms_text(m.time.device.worst), number_text(target, 1),
                   number_text(peer, 1), number_text(ns, 3), recall});
        if (target && program.on_cuda()) report.target(c.name() + ", ms", seconds * 1e3, Wanted::at_most, *target);
      }
      if (exact.k == k_max_kept) {
        Case c = case_of(cloud, k, "exact");
        c.data = &data;
        c.queries = &queries;
        verdicts.add(c, std::move(exact));
      }
    }
    verdicts.judge(report);
  }
  measure_longer(program, settings, report);
}

}  // namespace kann::bench
