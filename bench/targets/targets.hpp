// The parts of bench_targets, and the measurement of one search, which they share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kann/points.hpp"

#include "common/program.hpp"
#include "common/searcher.hpp"
#include "problem/prepare.hpp"

namespace kann::bench {

struct TargetSettings {
  int max_log2 = 27;          ///< maximum of all parts
  int log2 = 23;              ///< of the clouds
  int ugly_log2 = 22;         ///< of the ugly clouds
  int hard_log2 = 20;         ///< of the hard clouds
  int judged_queries = 2000;  ///< compared with nanoflann in double
};

/// One search to measure; without `queries` a self-query.
struct Case {
  std::string group, cloud, method;  ///< method: "exact" or "shifted-sort"
  int log2 = 0, k = 0;
  const Points* data = nullptr;
  const Points* queries = nullptr;

  std::string name() const;
};

struct Measured {
  SearchMeasurement time;
  Neighbors found;  ///< empty unless keep_results
  std::int64_t data_count = 0, query_count = 0;
  double bytes_per_point() const;       ///< peak memory / (data points + queries)
  double bytes_per_data_point() const;  ///< peak memory / data points
};

/// Measures one case, and does not change the report.
Measured measure_case(const Program& program, const Case& c, bool keep_results);

/// The record of a case, to which the caller may add keys.
Json case_json(const Case& c, const Measured& m);

/// Compares exact answers with nanoflann in double: all in parallel at the end of a part, since nanoflann builds its
/// tree on one thread.
class Verdicts {
 public:
  explicit Verdicts(const Program& program, int queries) : program_(program), queries_(queries) {}
  /// `c.data` and `c.queries` must outlive the call of judge().
  void add(const Case& c, Neighbors found);
  void judge(Report& report);

 private:
  const Program& program_;
  int queries_;
  std::vector<std::pair<Case, Neighbors>> waiting_;
};

/// Measures the shifted sort and exact, k = 4, 8, 16, on uniform, surface and clusters, and on the clouds in 2-D, with
/// separate queries and self-queries.
void measure_clouds(const Program& program, const TargetSettings& settings, Report& report);
/// Measures exact on ugly clouds relative to uniform.
void measure_ugly(const Program& program, const TargetSettings& settings, Report& report);
/// Measures exact on hard clouds, relative to uniform, beside the CPU's threads on a GPU and nanoflann on the CPU.
void measure_hard(const Program& program, const TargetSettings& settings, Report& report);
/// Measures the shifted sort and exact from k = 1 to 1,024 on uniform, from k = 32 on surface and clusters.
void measure_list_sizes(const Program& program, const TargetSettings& settings, Report& report);
/// Measures exact on even data for k from 1 to 64, with fewer and more queries, and with queries unlike the data.
void measure_even(const Program& program, const TargetSettings& settings, Report& report);
/// Measures the shifted sort and exact from 2¹⁰ points on.
void measure_scaling(const Program& program, const TargetSettings& settings, Report& report);

}  // namespace kann::bench
