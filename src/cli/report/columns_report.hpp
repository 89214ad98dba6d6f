// What the report and the summary say of transferred attributes, outliers and the picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/json/json_writer.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The word that --by takes.
std::string_view word_of(TransferMethod method);

/// Writes the keys `transfer`, `outliers`, `features` and `picture`, each only if there is something to report.
void write_answers(JsonWriter& json, const Options& options, const Report& report);

/// Writes the key `clusters`; before the search, without what it has found.
void write_clusters(JsonWriter& json, const ClusterOptions& options, const std::optional<ClusterCounts>& counts);

/// "; 12 of 1000 queries are outliers (mean distance > 0.31)", or nothing.
std::string outliers_text(const Report& report);

}  // namespace kann::cli
