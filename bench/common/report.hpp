// The output of a bench program: one JSON object with the build, the device, the options, the checks, the targets and a
// flat list of records, each on a line of its own.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "kann/search.hpp"

#include "common/spread.hpp"

namespace kann::bench {

using Json = nlohmann::ordered_json;

class Report {
 public:
  /// Path of the JSON file; "-" is stdout, and the tables then go to stderr; empty: no JSON.
  Report(const std::string& name, std::string path, const DeviceInfo& device, Json options);

  /// The stream for tables and notes.
  std::FILE* text() const { return path_ == "-" ? stderr : stdout; }

  /// Adds a record and rewrites the file, so that a program that is stopped leaves its records.
  void add(Json record);

  /// Adds a check. One that does not hold is printed at once, and finish() then returns 1.
  void check(const std::string& what, bool holds, const std::string& detail = "");

  /// Adds a target and the value reached; finish() prints them all. A missed target is no failure.
  enum class Wanted { at_most, at_least };
  void target(const std::string& what, double reached, Wanted wanted, double limit);

  /// Records and prints that a part was skipped, and why.
  void skip(const std::string& part, const std::string& why);

  /// Writes the whole object. Returns the program's exit code.
  int finish();

 private:
  void write() const;
  void print_targets() const;

  std::string path_;
  Json json_;
  int failed_ = 0;
};

/// {"best": …, "median": …, "worst": …, "runs": …} in milliseconds.
Json ms_json(const Spread& spread);
/// Milliseconds of every step.
Json steps_json(const StepSeconds& steps);

}  // namespace kann::bench
