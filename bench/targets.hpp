// The table "to reach" of performance.md, in three parts that share how one search is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kann/points.hpp"

#include "problem/prepare.hpp"
#include "program.hpp"
#include "searcher.hpp"

namespace kann::bench {

struct TargetSettings {
  int max_log2 = 27;          ///< of the scaling
  int log2 = 23;              ///< of the clouds
  int ugly_log2 = 22;         ///< of the ugly clouds
  int judged_queries = 2000;  ///< by nanoflann in double
};

/// One search to measure. Without `queries`, the data are the queries.
struct Case {
  std::string group, cloud, method;  ///< method: "fused" or "exact"
  int log2 = 0, k = 0;
  const Points* data = nullptr;
  const Points* queries = nullptr;

  std::string name() const;
};

struct Measured {
  SearchMeasurement time;
  Neighbors found;  ///< empty unless wanted
  std::int64_t data_count = 0, query_count = 0;
  double bytes_per_point() const;       ///< peak over data and queries
  double bytes_per_data_point() const;  ///< peak over data
};

/// Measures one case; adds nothing to the report.
Measured measure_case(const Program& program, const Case& c, bool keep_results);

/// The record of a case; what else is known of it may be added.
Json case_json(const Case& c, const Measured& m);

/// Judges of exact answers, run all at once at the end of a part: nanoflann builds on one thread.
class Verdicts {
 public:
  explicit Verdicts(const Program& program, int queries) : program_(program), queries_(queries) {}
  /// `data` and `queries` (null: a self-query) must outlive judge().
  void add(const Case& c, Neighbors found);
  void judge(Report& report);

 private:
  const Program& program_;
  int queries_;
  std::vector<std::pair<Case, Neighbors>> waiting_;
};

/// fused and exact, k = 4, 8, 16, on uniform, surface and clusters, separate queries and self-queries.
void measure_clouds(const Program& program, const TargetSettings& settings, Report& report);
/// exact on ugly clouds against uniform.
void measure_ugly(const Program& program, const TargetSettings& settings, Report& report);
/// fused and exact from 2¹⁰ on.
void measure_scaling(const Program& program, const TargetSettings& settings, Report& report);

}  // namespace kann::bench
