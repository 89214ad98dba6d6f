#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>

#include "base/host_memory.hpp"
#include "cli/html/html.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/page.hpp"
#include "cli/report/summary.hpp"
#include "cli/report/verdict.hpp"

namespace kann::cli {
namespace {

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[] = "2000-01-01 00:00";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

/// A fact as a row of a table.
std::string row_of(std::string_view label, const std::string& shown) {
  return fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", label, html_text(shown));
}

/// A number with five digits, as many as people compare.
double rounded(double number) { return std::strtod(fmt::format("{:.5g}", number).c_str(), nullptr); }

/// A check for people.
std::string_view in_words(std::string_view check) {
  return check == "verify"          ? "rows with the ids of brute force"
         : check == "verify-recall" ? "recall against exact rows"
         : check == "compare"       ? "rows in which nothing is nearer than in the reference"
                                    : "recall against the reference";
}

/// A share as a percentage that does not round up to 100; nothing as a dash.
std::string share_text(const Value& share) {
  const double* const number = std::get_if<double>(&share);
  return number ? fmt::format("{:.6g} %", std::floor(1e6 * *number) / 1e4) : "–";
}

class Page {
 public:
  Page(const Options& options, const Report& report)
      : options_(options), report_(report), facts_(facts_of_run(options, report)) {}

  std::string text() {
    text_ = page_begin(version(), title());
    add("<p>{}", verdict());
    if (report_.search) add("<br>{}", html_text(summary_line(options_, report_)));
    add("</p>\n");
    warnings();
    section("What was searched", searched());
    if (!report_.picture_png.empty())
      section("The queries", fmt::format("<img alt=\"The queries, coloured by what was found\" "
                                         "src=\"data:image/png;base64,{}\">\n",
                                         base64(report_.picture_png)));
    if (report_.statistics)
      section(report_.unit.empty() ? "Distances" : "Distances in " + html_text(report_.unit),
              statistics_in_words() + report_.histogram_svg);
    section("Checks", checks());
    folded("Statistics by rank", report_.statistics ? table(rank_facts(*report_.statistics)) : "");
    folded("Times and memory", times());
    folded("The command", preformatted(options_.command));
    folded("The report, as --json prints it", preformatted(json(facts_, true)));
    return text_ + "</body></html>\n";
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void section(std::string_view heading, const std::string& content) {
    add("<section>\n<h2>{}</h2>\n{}</section>\n", heading, content);
  }
  void folded(std::string_view heading, const std::string& content) {
    if (!content.empty()) add("<details><summary>{}</summary>{}</details>\n", heading, content);
  }
  static std::string preformatted(const std::string& content) {
    return content.empty() ? "" : "<pre>" + html_text(content) + "</pre>";
  }

  static std::string table(const std::vector<Facts>& rows) {
    std::string text = "<div class=\"wide\"><table>\n";
    std::string_view tag = "th";
    for (const auto& row : cells(rows, 5)) {
      text += "<tr>";
      for (const std::string& cell : row) text += fmt::format("<{0} class=\"number\">{1}</{0}>", tag, html_text(cell));
      text += "</tr>\n";
      tag = "td";
    }
    return text + "</table></div>\n";
  }

  std::string title() const {
    if (options_.title) return *options_.title;
    const std::string data = options_.data.empty() ? "kann" : options_.data;
    if (options_.query) return *options_.query + " among " + data;
    return options_.grid ? "A grid among " + data : data;
  }

  std::string verdict() const {
    if (!report_.failure)
      return report_.is_skipped ? "<span class=\"verdict other\">Skipped</span>: the result exists"
                                : "<span class=\"verdict good\">Done</span>";
    const bool is_check = report_.failure->kind == "check_failed";
    return fmt::format("<span class=\"verdict bad\">{}</span>: {}", is_check ? "A check has failed" : "Failed",
                       html_text(report_.failure->message));
  }

  void warnings() {
    if (report_.warnings.empty()) return;
    std::string list = "<ul>";
    for (const std::string& warning : report_.warnings) list += "<li>" + html_text(warning) + "</li>";
    section("Warnings", list + "</ul>\n");
  }

  std::string searched() const {
    std::string rows;
    const auto row = [&](std::string_view label, const std::string& shown) {
      if (!shown.empty()) rows += row_of(label, shown);
    };
    for (const auto& [label, shown] : labelled(facts_)) row(label, shown);
    if (report_.data) row("coordinate system", report_.data->system);
    row("extent of the data", extent());
    if (report_.search) row("answer", quality_text(options_, report_));
    for (const OutputPath& output : output_paths(options_))
      if (report_.output_written || output.option != "--output") row(output.option.substr(2), output.path);
    row("made by", fmt::format("kann {} ({}), {} UTC", version(), build_commit(), now()));
    return "<div class=\"wide\"><table class=\"facts\">\n" + rows + "</table></div>\n";
  }

  std::string extent() const {
    const problem::Survey* const survey = report_.files    ? &report_.files->data
                                          : report_.survey ? &*report_.survey
                                                           : nullptr;
    if (!survey || survey->valid == 0) return "";
    std::string text;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(report_.data->dimensions); ++axis)
      text += fmt::format("{}{:.6g}", axis > 0 ? " x " : "", survey->box.hi[axis] - survey->box.lo[axis]);
    return report_.unit.empty() || options_.sky ? text : text + " " + report_.unit;
  }

  /// The nearest and the last neighbour in sentences.
  std::string statistics_in_words() const {
    const DistanceStatistics& all = *report_.statistics;
    std::string text;
    const auto say = [&](std::string_view which, const RankStatistics& r) {
      if (r.queries == 0) return;
      text +=
          fmt::format("<p>Half of the {} are within {} of {}, 95 % within {}, and all within {}.</p>\n",
                      queries_text(r.queries), html_text(length_text(rounded(r.median), report_)), which,
                      html_text(length_text(rounded(r.p95), report_)), html_text(length_text(rounded(r.max), report_)));
    };
    if (all.ranks.empty()) return text;
    say("their nearest neighbour", all.ranks.front());
    if (all.ranks.size() > 1) say(fmt::format("their neighbour number {}", all.ranks.back().rank), all.ranks.back());
    if (all.empty_rows > 0) text += fmt::format("<p>{} without a neighbour.</p>\n", queries_text(all.empty_rows));
    return text;
  }

  /// The checks that were asked for, with what they needed. One that was not reached, or could not judge, has not
  /// passed.
  std::string checks() const {
    const std::vector<Check> all = checks_of(options_, report_);
    if (options_.cluster) return "<p>None: clusters are not checked.</p>\n";
    if (all.empty())
      return "<p>None was asked for. --verify compares with exact rows, --compare with an earlier result.</p>\n";
    std::string text =
        "<div class=\"wide\"><table>\n<tr><th>check</th><th></th><th>found</th><th>needed</th>"
        "<th>queries judged</th></tr>\n";
    for (const Check& check : all) {
      const std::string_view word = !check.found.index() && !check.passed ? "not reached"
                                    : !check.passed                       ? "measured"
                                    : *check.passed                       ? "passed"
                                                                          : "failed";
      const std::string_view style = !check.passed && word == "measured" ? "other"
                                     : check.passed.value_or(false)      ? "good"
                                                                         : "bad";
      text += fmt::format(
          "<tr><td>{}</td><td><span class=\"verdict {}\">{}</span></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          in_words(check.name), style, word, share_text(check.found), share_text(check.required),
          share_text(check.judged));
    }
    return text + "</table></div>\n";
  }

  std::string times() const {
    std::string rows;
    for (const auto& [label, shown] : labelled(time_facts(report_))) rows += row_of(label, shown);
    rows += row_of("host memory", base::bytes_text(static_cast<double>(base::peak_host_memory())));
    if (const auto& s = report_.search; s && s->device_peak_bytes > 0)
      rows += row_of("device memory", base::bytes_text(static_cast<double>(s->device_peak_bytes)));
    if (report_.search) rows += row_of("device", device_text(report_.search->device));
    if (report_.files) rows += row_of("files", tiles_line(*report_.files));
    return "<div class=\"wide\"><table class=\"facts\">\n" + rows + "</table></div>\n";
  }

  const Options& options_;
  const Report& report_;
  const Facts facts_;
  std::string text_;
};

}  // namespace

std::string run_page(const Options& options, const Report& report) { return Page(options, report).text(); }

}  // namespace kann::cli
