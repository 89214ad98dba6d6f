// What --verify and --compare print about a result, and whether the checks that were asked for have failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kann/accuracy.hpp"

#include "cli/facts/facts.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// Something that was asked to hold, or to be measured.
struct Check {
  std::string_view name;       ///< "verify", "verify-recall", "compare" or "compare-recall"
  Value required;              ///< a share, as `found`; nothing: it was to be measured
  Value found;                 ///< nothing: it was not reached, or there was nothing to judge
  Value judged;                ///< the share of the queries that were judged
  std::optional<bool> passed;  ///< none: it was not reached, or nothing was required
};

/// All checks that were asked for, whichever failed first. The shares of "verify" and "compare" are those of right
/// rows: rows with the ids of brute force, and rows in which nothing is nearer than in a reference that claims to be
/// exact. Those of "verify-recall" and "compare-recall" are recalls.
std::vector<Check> checks_of(const Options& options, const Report& report);

/// "verify: 10000 of 1048576 queries against exact rows (double): recall 0.9731, …; method shifted-sort"
std::string verify_line(const Options& options, const Accuracy& accuracy, std::int64_t valid_queries);

/// The warning of --verify; none if a check fails, whose message then says it.
std::optional<std::string> verify_warning(const Options& options, const Accuracy& accuracy);

/// Why --min-recall, or --verify of an exact result, fails; none if both pass or neither is asked for. To pass, both
/// need a judged query that has a neighbour, and every row must be right by its own definition. An exact result must
/// also have the ids of brute force.
std::optional<std::string> failed_check(const Options& options, const Accuracy& accuracy);

/// "compare: 10000 of 10000 queries against truth.ivecs (k 8 of 100): recall 0.9731, …; method exact"
std::string compare_line(const Options& options, const Comparison& comparison);

/// The warning of --compare; none if the check fails.
std::optional<std::string> compare_warning(const Options& options, const Comparison& comparison);

/// Why --compare fails: there is nothing to compare; a neighbour is nearer than in a reference that claims to be exact;
/// or, with --min-recall, the recall is below it or a row is faulty. None if it passes.
std::optional<std::string> failed_comparison(const Options& options, const Comparison& comparison);

/// The text of a recall below `minimum`: four decimals as in the line of --verify, or more if the rounded number would
/// not be below the minimum: "0.9984", but "0.99896" for the minimum 0.999.
std::string format_recall_below(double recall, double minimum);

}  // namespace kann::cli
