#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>

#include "base/counted.hpp"
#include "base/host_memory.hpp"
#include "cli/html/html.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/device_report.hpp"
#include "cli/report/page.hpp"
#include "cli/report/run_times.hpp"
#include "cli/report/summary.hpp"
#include "cli/report/verdict.hpp"
#include "cli/terminal/time_left.hpp"

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

class Page {
 public:
  Page(const Options& options, const Report& report) : options_(options), report_(report) {}

  std::string text() {
    text_ = page_begin(version(), title());
    add("<p>{}", verdict());
    if (report_.search) add("<br>{}", html_text(summary_line(options_, report_)));
    add("<br>kann {} ({}), {} UTC</p>\n", version(), build_commit(), now());
    warnings();
    begin("Checks");
    checks();
    end();
    text_ += "<div class=\"side\">\n";
    begin("What was searched");
    facts();
    end();
    begin("Times");
    times();
    end();
    text_ += "</div>\n";
    if (!report_.picture_png.empty()) {
      begin("Picture of the queries");
      add("<img alt=\"The queries, coloured by what was found\" src=\"data:image/png;base64,{}\">\n",
          base64(report_.picture_png));
      end();
    }
    if (report_.statistics) {
      begin(report_.unit.empty() ? "Distances" : "Distances in " + html_text(report_.unit));
      text_ += report_.histogram_svg;
      statistics(*report_.statistics);
      end();
    }
    preformatted("The command", options_.command);
    preformatted("The report, as --json prints it", report_json(options_, report_));
    return text_ + "</body></html>\n";
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  void begin(std::string_view heading) { add("<section>\n<h2>{}</h2>\n", heading); }
  void end() { text_ += "</section>\n"; }

  void preformatted(std::string_view heading, std::string_view content) {
    add("<details><summary>{}</summary><pre>{}</pre></details>\n", heading, html_text(content));
  }

  std::string title() const {
    const std::string data = options_.data.empty() ? "kann" : options_.data;
    if (options_.query) return *options_.query + " among " + data;
    return options_.grid ? "A grid among " + data : data;
  }

  std::string verdict() const {
    if (report_.is_skipped) return "<span class=\"verdict other\">Skipped</span>: the result exists";
    if (!report_.failure) return "<span class=\"verdict good\">Done</span>";
    const bool is_check = report_.failure->kind == "check_failed";
    return fmt::format("<span class=\"verdict bad\">{}</span>: {}", is_check ? "A check has failed" : "Failed",
                       html_text(report_.failure->message));
  }

  void warnings() {
    if (report_.warnings.empty()) return;
    begin("Warnings");
    text_ += "<ul>";
    for (const std::string& warning : report_.warnings) add("<li>{}</li>", html_text(warning));
    text_ += "</ul>\n";
    end();
  }

  void check(std::string_view style, std::string_view word, const std::string& found) {
    add("<p><span class=\"verdict {}\">{}</span> {}</p>\n", style, word, html_text(found));
  }

  /// A check that was made, or not reached. Without a demand, what it measured is neither good nor bad.
  void judged(const std::optional<std::string>& failure, bool has_demand, const std::string& found) {
    if (failure) return check("bad", "failed", *failure);
    has_demand ? check("good", "passed", found) : check("other", "measured", found);
  }

  /// The checks that were asked for. One that was not reached, or could not judge, has not passed.
  void checks() {
    const auto& s = report_.search;
    if (s && report_.accuracy)
      judged(failed_check(options_, *report_.accuracy), s->method == Method::exact || options_.min_recall.has_value(),
             verify_line(options_, *report_.accuracy, s->query_points - s->query_skipped));
    else if (options_.verify)
      check("bad", "not reached", "--verify");
    if (report_.comparison)
      judged(failed_comparison(options_, *report_.comparison),
             options_.min_recall.has_value() || report_.comparison->claims_to_be_exact,
             compare_line(options_, *report_.comparison));
    else if (options_.compare)
      check("bad", "not reached", "--compare " + *options_.compare);
    if (!options_.verify && !options_.compare)
      text_ += "<p>None was asked for. --verify compares with nanoflann, --compare with an earlier result.</p>\n";
  }

  void fact(std::string_view name, const std::string& value) {
    if (!value.empty()) add("<tr><th>{}</th><td>{}</td></tr>\n", name, html_text(value));
  }

  static std::string cloud_text(const std::string& path, const std::optional<CloudFacts>& cloud) {
    if (!cloud) return path;
    return fmt::format("{}: {}, {}-D", path, base::counted(cloud->points, "point"), cloud->dimensions);
  }

  void facts() {
    text_ += "<div class=\"wide\"><table class=\"facts\">\n";
    fact("data", cloud_text(options_.data, report_.data));
    fact("queries", options_.self_query() ? "the data themselves"
                                          : cloud_text(options_.query.value_or("the cells of a grid"), report_.query));
    if (const auto& s = report_.search) {
      fact("answer", quality_text(options_, report_));
      fact("device", device_text(s->device));
      fact("skipped", s->data_skipped + s->query_skipped == 0
                          ? ""
                          : fmt::format("{} and {}, as invalid", base::counted(s->data_skipped, "point"),
                                        queries_text(s->query_skipped)));
      fact("device memory",
           s->device_peak_bytes > 0 ? base::bytes_text(static_cast<double>(s->device_peak_bytes)) : "");
    }
    fact("host memory", base::bytes_text(static_cast<double>(base::peak_host_memory())));
    if (report_.files) fact("files", tiles_line(*report_.files));
    for (const OutputPath& output : output_paths(options_))
      if (report_.output_written || output.option != "--output") fact(output.option.substr(2), output.path);
    text_ += "</table></div>\n";
  }

  void times() {
    const RunTimes times = run_times(report_);
    text_ += "<div class=\"wide\"><table>\n";
    for (const auto& [part, seconds] : times.parts)
      if (seconds)
        add("<tr><th>{}</th><td class=\"number\">{}</td><td style=\"width:60%\"><div class=\"bar\" "
            "style=\"width:{:.1f}%\">"
            "</div></td></tr>\n",
            part, measured_text(*seconds), 100 * *seconds / std::max(times.total, 1e-9));
    add("<tr><th>total</th><td class=\"number\">{}</td><td></td></tr>\n</table></div>\n", measured_text(times.total));
  }

  static std::string number(double value) { return std::isnan(value) ? "–" : fmt::format("{:.5g}", value); }

  void statistics(const DistanceStatistics& all) {
    text_ += "<div class=\"wide\"><table>\n<tr>";
    for (const std::string_view name : {"rank", "queries", "mean", "deviation", "median", "p95", "p99", "max"})
      add("<th class=\"number\">{}</th>", name);
    text_ += "</tr>\n";
    for (const RankStatistics& r : all.ranks) {
      add("<tr><td class=\"number\">{}</td><td class=\"number\">{}</td>", r.rank, r.queries);
      for (const double value : {r.mean, r.deviation, r.median, r.p95, r.p99, r.max})
        add("<td class=\"number\">{}</td>", number(value));
      text_ += "</tr>\n";
    }
    text_ += "</table></div>\n";
    if (all.empty_rows > 0) add("<p>{} without a neighbour</p>\n", queries_text(all.empty_rows));
  }

  const Options& options_;
  const Report& report_;
  std::string text_;
};

}  // namespace

std::string run_page(const Options& options, const Report& report) { return Page(options, report).text(); }

}  // namespace kann::cli
