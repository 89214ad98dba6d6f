#include "cli/report/run_times.hpp"

#include <algorithm>

#include "base/seconds_since.hpp"

namespace kann::cli {
namespace {

void write_steps(JsonWriter& json, const SearchReport& search) {
  const StepSeconds& t = search.steps;
  const std::pair<const char*, double> steps[] = {
      {"prepare", t.prepare}, {"start_up", t.start_up}, {"upload", t.upload}, {"encode", t.encode},
      {"sort", t.sort},       {"rank", t.rank},         {"boxes", t.boxes},   {"select", t.select},
      {"rows", t.rows},       {"download", t.download}, {"sample", t.sample}};
  double other = search.total_seconds;
  for (const auto& [step, seconds] : steps) {
    json.member(step, seconds);
    other -= seconds;
  }
  json.member("other", std::max(0.0, other));  // rounding may make it negative
}

}  // namespace

RunTimes run_times(const Report& report) {
  RunTimes times{.parts = {{"read", report.read_seconds},
                           {"search", report.search ? std::optional(report.search->total_seconds) : std::nullopt},
                           {"write", report.write_seconds}},
                 .total = base::seconds_since(report.start)};
  if (report.column_seconds) times.parts.emplace_back("answer", report.column_seconds);
  if (report.draw_seconds) times.parts.emplace_back("draw", report.draw_seconds);
  if (report.accuracy) times.parts.emplace_back("verify", report.accuracy->seconds);
  if (report.comparison) times.parts.emplace_back("compare", report.comparison->accuracy.seconds);
  double other = times.total;
  for (const auto& [part, seconds] : times.parts) other -= seconds.value_or(0);
  times.parts.emplace_back("other", std::max(0.0, other));  // rounding may make it negative
  return times;
}

/// The steps add up to `search`. `start_up` overlaps with the parts: only what the search waited for it is a step.
void write_timing(JsonWriter& json, const Report& report) {
  const RunTimes times = run_times(report);
  for (const auto& [part, seconds] : times.parts) json.member(part, seconds);
  json.member("total", times.total);
  if (const auto& s = report.search) {
    json.key("steps");
    json.begin_object();
    write_steps(json, *s);
    json.end_object();
    json.key("start_up");
    json.begin_object();
    json.member("took", s->start_up_seconds);
    json.member("waited", s->steps.start_up);
    json.end_object();
  } else {
    json.null_member("steps");
    json.null_member("start_up");
  }
  json.key("read_each");
  json.begin_object();
  json.member("data", report.read_data_seconds);
  json.member("query", report.read_query_seconds);
  json.end_object();
  json.member("sync", report.sync_seconds);
}

}  // namespace kann::cli
