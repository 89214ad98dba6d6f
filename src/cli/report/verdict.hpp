// What --verify says of a result, and whether the checks that were asked for have failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kann/accuracy.hpp"

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// "verify: 10000 of 1048576 queries against nanoflann (double): recall 0.9731, …"
std::string verify_line(const Accuracy& accuracy, std::int64_t valid_queries);

/// What --verify warns of, of a result that was searched by `method`; none if a check fails, whose message says it.
std::optional<std::string> verify_warning(const Options& options, Method method, const Accuracy& accuracy);

/// Why --min-recall, or --verify of an exact result, fails; none if both pass or neither is asked for. Both need a
/// judged query that has a neighbour, and every row right by its own definition; an exact result, whether asked for or
/// the default, also the ids of brute force.
std::optional<std::string> failed_check(const Options& options, Method method, const Accuracy& accuracy);

/// "compare: 10000 of 10000 queries against truth.ivecs (k 8 of 100): recall 0.9731, …"
std::string compare_line(const Options& options, const Comparison& comparison);

/// What --compare warns of; none if it fails.
std::optional<std::string> compare_warning(const Options& options, const Comparison& comparison);

/// Why --compare fails: nothing to compare; a nearer neighbour than a reference has that claims to be exact; with
/// --min-recall, a recall below it or a faulty row. None if it passes.
std::optional<std::string> failed_comparison(const Options& options, const Comparison& comparison);

/// A recall below `minimum`, with four decimals as in the line of --verify, or with more if the rounded number would
/// not be below: "0.9984", but "0.99896" for the minimum 0.999.
std::string format_recall_below(double recall, double minimum);

}  // namespace kann::cli
