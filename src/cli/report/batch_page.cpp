#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "base/seconds_since.hpp"
#include "cli/html/html.hpp"
#include "cli/report/page.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {
namespace {

/// The recall that was measured, by the check that was asked for, or on the sample of an approximate search.
std::string recall_text(const Report& report) {
  if (report.comparison) return fmt::format("{:.4f}", report.comparison->accuracy.recall);
  if (report.accuracy) return fmt::format("{:.4f}", report.accuracy->recall);
  if (report.search && report.search->sample.recall) return fmt::format("≈ {:.4f}", *report.search->sample.recall);
  return "";
}

std::string outcome_text(const Report& report) {
  std::string text = report.failure ? "<span class=\"verdict bad\">failed</span> " + html_text(report.failure->message)
                     : report.is_skipped ? "<span class=\"verdict other\">skipped</span>"
                                         : "<span class=\"verdict good\">done</span>";
  for (const std::string& warning : report.warnings) text += "<br>" + html_text(warning);
  return text;
}

std::string end_text(const Report& batch) {
  if (batch.failure)
    return fmt::format("<span class=\"verdict bad\">{}</span>: {}",
                       batch.failure->exit_code ? "failed" : "no table yet, which is made at the end",
                       html_text(batch.failure->message));
  const BatchCounts counts = batch.batch ? batch.batch->counts : BatchCounts();
  const bool is_good = batch.batch && batch.batch->ended_by.empty() && counts.failed == 0;
  return fmt::format("<span class=\"verdict {}\">{}</span>", is_good ? "good" : "bad", html_text(counts_text(counts)));
}

/// A row of the table from its cells, which are HTML: "th" makes it the head.
std::string row(std::string_view tag, const std::array<std::string, 10>& cells) {
  constexpr std::array is_number = {true, false, false, false, true, true, true, true, true, false};
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += fmt::format("<{0}{1}>{2}</{0}>", tag, is_number[i] ? " class=\"number\"" : "", cells[i]);
  return text + "</tr>\n";
}

}  // namespace

std::string batch_page(const Options& batch, const Report& report) {
  return page_begin(version(), batch.title  ? *batch.title
                               : batch.jobs ? "Jobs of " + *batch.jobs
                                            : "Jobs among " + batch.data) +
         "<p>" + end_text(report) + "</p>\n<div class=\"wide\"><table><thead>\n" +
         row("th", {"job", "outcome", "data", "query", "data points", "query points", "recall", "search", "total",
                    "result"}) +
         "</thead><tbody>\n" + report.failed_rows + report.other_rows + "</tbody></table></div>\n</body></html>\n";
}

std::string batch_page_row(const Options& job, const Report& report) {
  const auto points = [](const std::optional<CloudFacts>& cloud) { return cloud ? std::to_string(cloud->points) : ""; };
  return row("td",
             {std::to_string(report.job.value_or(0)), outcome_text(report), html_text(job.data),
              html_text(job.query.value_or("")), points(report.data), points(report.query), recall_text(report),
              report.search ? measured_text(report.search->total_seconds) : "",
              measured_text(base::seconds_since(report.start)), report.output_written ? html_text(job.output) : ""});
}

}  // namespace kann::cli
