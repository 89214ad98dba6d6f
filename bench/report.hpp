// What a bench program leaves: one JSON object with who measured what where, a flat list of records, and the checks.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "kann/search.hpp"

#include "spread.hpp"

namespace kann::bench {

using Json = nlohmann::ordered_json;

class Report {
 public:
  /// `path` "-" is stdout, and tables then go to stderr; empty: no JSON.
  Report(const std::string& name, std::string path, const DeviceInfo& device, Json options);

  /// Where tables and notes go.
  std::FILE* text() const { return path_ == "-" ? stderr : stdout; }

  /// Adds a record and writes the file anew, so that a program that is stopped leaves what it had.
  void add(Json record);

  /// Writes down whether something that must hold did; a failure is told at once and makes the exit code 1.
  void check(const std::string& what, bool holds, const std::string& detail = "");

  /// Writes down a target and what was reached; finish() prints them all. A missed target is no failure.
  enum class Wanted { at_most, at_least };
  void target(const std::string& what, double reached, Wanted wanted, double limit);

  /// Says that a part was left out, and why.
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
