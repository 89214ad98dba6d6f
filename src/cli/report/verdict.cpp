#include "cli/report/verdict.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace kann::cli {
namespace {

std::string nothing_checked(const Options& options, const Accuracy& a) {
  return fmt::format("nothing could be checked: {}", a.judged == 0 ? "there is no valid query"
                                                     : options.search.radius
                                                         ? "no query has a point within --radius"
                                                         : "no query has a point that could be its neighbour");
}

std::string faulty_rows(const Accuracy& a) {
  return fmt::format("{} {} faulty (first: row {}, {})", a.faulty, a.faulty == 1 ? "row is" : "rows are",
                     a.first_faulty, a.first_fault);
}

/// For a reference that does not claim to be exact, and has rows that are worse than those of this result.
std::string no_ground_truth(const Options& options, const Comparison& comparison) {
  return fmt::format("--compare {}: it is no ground truth: this result has nearer neighbours in {} of {} rows",
                     options.compare.value_or(""), comparison.accuracy.nearer, comparison.queries);
}

/// Rows that the file of --compare has not, or not whole, and that are therefore not judged.
std::int64_t lacking_rows(const Comparison& comparison) {
  const Accuracy& a = comparison.accuracy;
  return comparison.queries - a.judged + std::max<std::int64_t>(0, a.judged * comparison.in_row - a.expected);
}

Value share(std::int64_t part, std::int64_t all) {
  return all > 0 ? Value(static_cast<double>(part) / static_cast<double>(all)) : Value();
}

}  // namespace

std::vector<Check> checks_of(const Options& options, const Report& report) {
  std::vector<Check> checks;
  const std::int64_t queries = report.search ? report.search->query_points - report.search->query_skipped : 0;
  const auto add = [&](std::string_view rows_name, std::string_view recall_name, bool requires_rows,
                       const Accuracy* accuracy, std::int64_t wrong_rows, std::int64_t rows, bool is_judgeable) {
    const Value judged = accuracy ? share(accuracy->judged, queries) : Value();
    const bool judges = accuracy && accuracy->expected > 0;
    if (requires_rows)
      checks.push_back({rows_name, 1.0, judges ? share(rows - wrong_rows, rows) : Value(), judged,
                        accuracy ? std::optional(judges && wrong_rows == 0) : std::nullopt});
    if (!options.min_recall && requires_rows) return;
    std::optional<bool> passed;
    if (options.rows_are_stored && accuracy && (!judges || accuracy->faulty > 0)) passed = false;
    if (accuracy && options.min_recall)
      passed = judges && accuracy->recall >= *options.min_recall && accuracy->faulty == 0 && is_judgeable;
    checks.push_back({recall_name, options.min_recall, judges ? Value(accuracy->recall) : Value(), judged, passed});
  };
  if (options.verify) {
    const Accuracy* const a = report.accuracy ? &*report.accuracy : nullptr;
    add("verify", "verify-recall", options.search.method == Method::exact, a, a ? a->judged - a->identical : 0,
        a ? a->judged : 0, true);
  }
  if (options.compare) {
    const Comparison* const c = report.comparison ? &*report.comparison : nullptr;
    add("compare", "compare-recall", c && c->claims_to_be_exact, c ? &c->accuracy : nullptr, c ? c->accuracy.nearer : 0,
        c ? c->queries : 0, c && c->accuracy.nearer <= lacking_rows(*c));
  }
  return checks;
}

std::string verify_line(const Options& options, const Accuracy& a, std::int64_t valid_queries) {
  return fmt::format(
      "verify: {} of {} queries against exact rows (double): recall {:.4f}, mean distance ratio {:.4f}, "
      "{} all-correct, {} identical; method {}",
      a.judged, valid_queries, a.recall, a.distance_ratio, a.all_correct, a.identical, name_of(options.search.method));
}

std::optional<std::string> verify_warning(const Options& options, const Accuracy& accuracy) {
  if (failed_check(options, accuracy)) return {};
  if (accuracy.faulty > 0) return "--verify: " + faulty_rows(accuracy) + "; please report it";
  if (accuracy.expected == 0) return "--verify: " + nothing_checked(options, accuracy);
  return {};
}

std::optional<std::string> failed_check(const Options& options, const Accuracy& accuracy) {
  const bool is_exact = options.search.method == Method::exact;
  if (!is_exact && !options.min_recall && !options.rows_are_stored) return {};
  const std::string asked = options.min_recall ? "--min-recall" : "--verify";
  if (accuracy.expected == 0) return asked + ": " + nothing_checked(options, accuracy);
  const std::int64_t different = accuracy.judged - accuracy.identical;
  if (is_exact && different > 0)
    return fmt::format("--verify: {} of {} rows do not have the ids of brute force (first: row {})", different,
                       accuracy.judged, accuracy.first_different);
  // Written with !(…) so that NaN fails, too.
  if (options.min_recall && !(accuracy.recall >= *options.min_recall))
    return fmt::format("recall {} is below --min-recall {}", format_recall_below(accuracy.recall, *options.min_recall),
                       *options.min_recall);
  if (accuracy.faulty > 0) return asked + ": " + faulty_rows(accuracy);
  return {};
}

std::string compare_line(const Options& options, const Comparison& comparison) {
  const Accuracy& a = comparison.accuracy;
  return fmt::format(
      "compare: {} of {} queries against {} (k {} of {}): recall {:.4f}, mean distance ratio {:.4f}, {} all-correct, "
      "{} identical; method {}",
      a.judged, comparison.queries, options.compare.value_or(""), std::min(options.search.k, comparison.k),
      comparison.k, a.recall, a.distance_ratio, a.all_correct, a.identical, name_of(options.search.method));
}

std::optional<std::string> compare_warning(const Options& options, const Comparison& comparison) {
  const Accuracy& a = comparison.accuracy;
  if (failed_comparison(options, comparison)) return {};
  if (a.faulty > 0) return "--compare: " + faulty_rows(a) + "; please report it";
  if (a.judged < comparison.queries)
    return fmt::format("--compare {}: it has no neighbour of {} of {} queries, which are not judged",
                       options.compare.value_or(""), comparison.queries - a.judged, comparison.queries);
  if (a.expected < a.judged * comparison.in_row)
    return fmt::format("--compare {}: it has {} of {} neighbours; the others are not judged",
                       options.compare.value_or(""), a.expected, a.judged * comparison.in_row);
  if (a.nearer > 0) return no_ground_truth(options, comparison);
  return {};
}

std::optional<std::string> failed_comparison(const Options& options, const Comparison& comparison) {
  const Accuracy& a = comparison.accuracy;
  const std::string path = options.compare.value_or("");
  if (a.expected == 0)
    return fmt::format("--compare {}: nothing could be compared: {}", path,
                       comparison.queries == 0 ? "there is no valid query" : "it has no neighbour of any query");
  if (comparison.claims_to_be_exact && a.nearer > 0)
    return fmt::format(
        "--compare {}: it should have the nearest neighbours, but this result has nearer ones in {} of {} "
        "rows (first: row {}); it may be of other clouds, or in another order",
        path, a.nearer, comparison.queries, a.first_nearer);
  if (options.rows_are_stored && a.faulty > 0) return fmt::format("--compare {}: {}", path, faulty_rows(a));
  if (!options.min_recall) return {};
  if (!(a.recall >= *options.min_recall))
    return fmt::format("recall {} against {} is below --min-recall {}",
                       format_recall_below(a.recall, *options.min_recall), path, *options.min_recall);
  if (a.faulty > 0) return "--min-recall: " + faulty_rows(a);
  if (a.nearer > lacking_rows(comparison)) return no_ground_truth(options, comparison) + "; --min-recall needs one";
  return {};
}

std::string format_recall_below(double recall, double minimum) {
  for (int digits = 4; digits <= 17; ++digits)
    if (std::string text = fmt::format("{:.{}f}", recall, digits); std::strtod(text.c_str(), nullptr) < minimum)
      return text;
  return fmt::format("{}", recall);
}

}  // namespace kann::cli
