#include "common/report.hpp"

#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <thread>

#include "kann/error.hpp"

#include "common/table.hpp"

namespace kann::bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

/// Milliseconds, rounded to 10⁻⁶ ms to keep the files readable.
double ms(double seconds) { return std::round(seconds * 1e9) / 1e6; }

/// The object as JSON: a line for each member, and for each element of the arrays among them.
std::string text_of(const Json& object) {
  std::string text;
  for (const auto& member : object.items()) {
    text += fmt::format("{}{}:", text.empty() ? "{\n" : ",\n", Json(member.key()).dump());
    if (!member.value().is_array() || member.value().empty()) {
      text += member.value().dump();
      continue;
    }
    const char* before = "[\n";
    for (const Json& element : member.value()) {
      text += before + element.dump();
      before = ",\n";
    }
    text += "\n]";
  }
  return text + "\n}\n";
}

}  // namespace

Report::Report(const std::string& name, std::string path, const DeviceInfo& device, Json options)
    : path_(std::move(path)) {
  json_["version"] = 1;
  json_["benchmark"] = name;
  json_["kann"] = {{"version", version()}, {"commit", build_commit()}};
  json_["date"] = utc_now();
  json_["device"] = {{"name", device.kind == DeviceKind::cuda ? device.name : cpu_model()},
                     {"kind", device.kind == DeviceKind::cuda ? "cuda" : "cpu"}};
  if (device.kind == DeviceKind::cuda) json_["device"]["memory_bytes"] = device.memory_bytes;
  json_["host"] = {{"cpu", cpu_model()}, {"threads", std::thread::hardware_concurrency()}};
  json_["options"] = std::move(options);
  json_["complete"] = false;
  json_["skipped"] = Json::array();
  json_["checks"] = Json::array();
  json_["targets"] = Json::array();
  json_["records"] = Json::array();
  fmt::print(text(), "{}: kann {}, {}, {}\n", name, build_commit(), json_["device"]["name"].get<std::string>(),
             json_["date"].get<std::string>());
}

void Report::add(Json record) {
  json_["records"].push_back(std::move(record));
  if (path_ != "-") write();
}

void Report::check(const std::string& what, bool holds, const std::string& detail) {
  json_["checks"].push_back({{"what", what}, {"holds", holds}, {"detail", detail}});
  if (holds) return;
  ++failed_;
  fmt::print(stderr, "CHECK FAILED: {}{}{}\n", what, detail.empty() ? "" : ": ", detail);
}

void Report::target(const std::string& what, double reached, Wanted wanted, double limit) {
  const bool is_maximum = wanted == Wanted::at_most;
  json_["targets"].push_back({{"what", what},
                              {"reached", std::round(reached * 1e4) / 1e4},
                              {is_maximum ? "at_most" : "at_least", limit},
                              {"met", is_maximum ? reached <= limit : reached >= limit}});
}

void Report::print_targets() const {
  const Json& targets = json_["targets"];
  if (targets.empty()) return;
  const Table table(text(), "Targets", 60, {"what", "reached", "wanted", "met"});
  for (const Json& t : targets) {
    const bool is_maximum = t.contains("at_most");
    table.row({t["what"], fmt::format("{:g}", t["reached"].get<double>()),
               fmt::format("{} {:g}", is_maximum ? "≤" : "≥", t[is_maximum ? "at_most" : "at_least"].get<double>()),
               t["met"].get<bool>() ? "yes" : "NO"});
  }
}

void Report::skip(const std::string& part, const std::string& why) {
  json_["skipped"].push_back({{"part", part}, {"why", why}});
  fmt::print(text(), "skipped: {}: {}\n", part, why);
}

int Report::finish() {
  json_["complete"] = true;
  print_targets();
  write();
  if (failed_) fmt::print(stderr, "{} of {} checks failed\n", failed_, json_["checks"].size());
  return failed_ ? static_cast<int>(ErrorKind::check_failed) : 0;
}

void Report::write() const {
  if (path_.empty()) return;
  if (path_ == "-") {
    fmt::print("{}", text_of(json_));
    return;
  }
  std::ofstream file(path_);
  file << text_of(json_);
  file.flush();
  if (!file) throw Error(ErrorKind::resources, path_ + ": cannot be written");
}

Json ms_json(const Spread& spread) {
  return {{"best", ms(spread.best)}, {"median", ms(spread.median)}, {"worst", ms(spread.worst)}, {"runs", spread.runs}};
}

Json steps_json(const StepSeconds& t) {
  return {{"prepare", ms(t.prepare)}, {"upload", ms(t.upload)}, {"encode", ms(t.encode)}, {"sort", ms(t.sort)},
          {"rank", ms(t.rank)},       {"select", ms(t.select)}, {"rows", ms(t.rows)},     {"download", ms(t.download)}};
}

}  // namespace kann::bench
