// Time, memory and recall of the shifted sort and exact on three clouds and on four in 2-D, and time of exact on ugly
// clouds.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "common/made_clouds.hpp"
#include "common/peers.hpp"
#include "common/recall.hpp"
#include "common/table.hpp"
#include "targets/targets.hpp"

namespace kann::bench {
namespace {

using Wanted = Report::Wanted;

const std::vector<std::string> k_step_headers = {"encode", "sort", "rank", "select", "rows"};

void append_steps(const StepSeconds& t, std::vector<std::string>& cells) {
  for (const double seconds : {t.encode, t.sort, t.rank, t.select, t.rows}) cells.push_back(ms_text(seconds));
}

std::vector<std::string> with_steps(std::vector<std::string> headers) {
  headers.insert(headers.end(), k_step_headers.begin(), k_step_headers.end());
  return headers;
}

constexpr int k_short_lists[] = {16, 8, 4};
constexpr const char* k_methods[] = {"exact", "shifted-sort", "window-24"};  // the last: with that window, for k = 8

/// Whether --only selects any measurement on this cloud.
bool any_wanted(const Program& program, const std::string& group, const std::string& cloud, int log2) {
  const Points other;
  for (const int k : k_short_lists)
    for (const char* method : k_methods)
      for (const Points* queries : {static_cast<const Points*>(nullptr), &other})
        if (program.wants(Case{group, cloud, method, log2, k, nullptr, queries}.name())) return true;
  return false;
}

/// The measurements of one cloud, for all k, both methods, one kind of query.
class CloudBlock {
 public:
  CloudBlock(const Program& program, Report& report, std::string group, const Table& table, Verdicts& verdicts)
      : program_(program), report_(report), group_(std::move(group)), table_(table), verdicts_(verdicts) {}

  /// exact before the shifted sort, which is compared with it, and the largest k first, since its rows begin with those
  /// of smaller k.
  void run(const std::string& cloud, int log2, const Points& data, const Points* queries) {
    Neighbors exact;
    Case widest;
    for (const int k : k_short_lists)
      for (const std::string method : k_methods) {
        const Case c{group_, cloud, method, log2, k, &data, queries};
        if (!program_.wants(c.name()) || (method == "window-24" && k != 8)) continue;
        Measured m = measure_case(program_, c, true);
        Json record = case_json(c, m);
        std::string quality;
        if (method == "exact") {
          if (exact.k == 0) {
            widest = c;
            exact = std::move(m.found);
          } else {
            report_.check(c.name() + " is the beginning of the rows of the largest k", is_prefix(m.found, exact));
          }
          quality = "exact";
        } else if (exact.k >= k) {
          const double recall = recall_against(m.found, exact);
          record["recall"] = recall;
          report_.target(c.name() + ": recall", recall, Wanted::at_least, k_min_recall);
          quality = number_text(recall, 4);
        }
        report_case(c, m, quality, record);
      }
    if (exact.k > 0) verdicts_.add(widest, std::move(exact));
  }

 private:
  void report_case(const Case& c, const Measured& m, const std::string& quality, Json& record) {
    const double ms = m.time.device.best * 1e3;
    const auto peer = c.log2 == k_peer_log2 && c.queries ? best_peer_ms(c.cloud, c.k) : std::nullopt;
    const auto target = c.log2 == k_peer_log2 && c.queries ? target_ms(c.method, c.cloud, c.k) : std::nullopt;
    if (peer) record["best_peer_ms"] = *peer;
    if (target) record["target_ms"] = *target;
    report_.add(record);
    std::vector<std::string> cells = {c.name(),
                                      ms_text(m.time.device.best),
                                      ms_text(m.time.device.worst),
                                      number_text(target, 1),
                                      number_text(peer, 1),
                                      quality,
                                      number_text(m.bytes_per_point(), 1),
                                      number_text(m.bytes_per_data_point(), 1)};
    append_steps(m.time.steps, cells);
    table_.row(cells);
    if (!program_.on_cuda()) return;
    if (target) report_.target(c.name() + ", ms", ms, Wanted::at_most, *target);
    report_.target(c.name() + ": peak bytes a point", m.bytes_per_point(), Wanted::at_most, k_peak_bytes_per_point);
    if (c.method == "exact" && c.cloud == "uniform" && c.k == 8 && c.log2 == k_peer_log2 && c.queries)
      report_.target(c.name() + ": its search alone, ms", m.time.steps.select * 1e3, Wanted::at_most,
                     k_exact_search_alone_ms);
  }

  const Program& program_;
  Report& report_;
  const std::string group_;
  const Table& table_;
  Verdicts& verdicts_;
};

void measure_group(const std::string& group, const std::vector<std::string>& kinds, const std::string& title,
                   const Program& program, const TargetSettings& settings, Report& report) {
  const auto wanted = [&](const std::string& cloud) { return any_wanted(program, group, cloud, settings.log2); };
  if (std::none_of(kinds.begin(), kinds.end(), wanted)) return;
  const Table table(report.text(),
                    title + ": ms, best and worst; recall of shifted-sort; peak bytes beyond inputs and results", 44,
                    with_steps({"case", "best", "worst", "target", "peer", "recall", "B/(n+m)", "B/n"}));
  // Kept until all answers are judged, which runs in parallel
  std::map<std::string, std::pair<Points, Points>> clouds;
  Verdicts verdicts(program, settings.judged_queries);
  CloudBlock block(program, report, group, table, verdicts);
  const std::int64_t n = std::int64_t{1} << settings.log2;
  for (const std::string& cloud : kinds) {
    if (!wanted(cloud)) continue;
    auto& [data, queries] = clouds[cloud];
    data = make_cloud(cloud, n, program.seed);
    queries = make_cloud(cloud, n, program.seed, Role::queries);
    block.run(cloud, settings.log2, data, &queries);
    block.run(cloud, settings.log2, data, nullptr);
  }
  verdicts.judge(report);
}

}  // namespace

void measure_clouds(const Program& program, const TargetSettings& settings, Report& report) {
  measure_group("clouds", k_clouds, "Clouds", program, settings, report);
  measure_group("planar", k_planar_clouds, "2-D", program, settings, report);
}

void measure_ugly(const Program& program, const TargetSettings& settings, Report& report) {
  const Points none;
  const auto case_of = [&](const std::string& kind) {
    return Case{"ugly", kind, "exact", settings.ugly_log2, 8, nullptr, &none};
  };
  const auto wanted = [&](const std::string& kind) { return program.wants(case_of(kind).name()); };
  if (std::none_of(k_ugly_clouds.begin(), k_ugly_clouds.end(), wanted)) return;

  const Table table(report.text(), "Ugly clouds, exact, k = 8: ms, and as multiples of uniform", 40,
                    with_steps({"case", "best", "worst", "/uniform"}));
  const std::int64_t n = std::int64_t{1} << settings.ugly_log2;
  std::map<std::string, std::pair<Points, Points>> clouds;
  Verdicts verdicts(program, settings.judged_queries);
  double uniform = 0;
  std::vector<std::string> kinds = {"uniform"};  // the others are compared with it
  kinds.insert(kinds.end(), k_ugly_clouds.begin(), k_ugly_clouds.end());
  for (const std::string& kind : kinds) {
    Case c = case_of(kind);
    if (kind != "uniform" && !wanted(kind)) continue;
    auto& [data, queries] = clouds[kind];
    data = make_cloud(kind, n, program.seed);
    queries = make_cloud(kind, n, program.seed, Role::queries);
    c.data = &data;
    c.queries = &queries;
    Measured m = measure_case(program, c, true);
    if (kind == "uniform") uniform = m.time.device.best;
    const double ratio = m.time.device.best / uniform;
    Json record = case_json(c, m);
    record["to_uniform"] = ratio;
    report.add(record);
    std::vector<std::string> cells = {c.name(), ms_text(m.time.device.best), ms_text(m.time.device.worst),
                                      number_text(ratio, 2)};
    append_steps(m.time.steps, cells);
    table.row(cells);
    if (kind != "uniform") report.target(c.name() + " / uniform", ratio, Wanted::at_most, k_ugly_to_uniform);
    verdicts.add(c, std::move(m.found));
  }
  verdicts.judge(report);
}

}  // namespace kann::bench
