// The frame of every bench program: options, the device, the report, and errors in one line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kann/search.hpp"

#include "common/report.hpp"

namespace kann::bench {

class Program {
 public:
  Program(std::string name, const std::string& description);
  ~Program();

  /// Adds an option, besides those that all programs have. The variable has the default, and must outlive run().
  void option(const std::string& name, int& value, const std::string& help);
  void option(const std::string& name, std::string& value, const std::string& help);
  void option(const std::string& name, std::vector<std::string>& values, const std::string& help);
  void option(const std::string& name, std::vector<std::pair<std::string, std::string>>& values,
              const std::string& help);
  void option(const std::string& name, bool& value, const std::string& help);

  /// Parses the arguments, chooses the device and calls `body`. Prints exceptions to stderr. Returns the exit code.
  int run(int argc, char** argv, const std::function<void(Report&)>& body);

  /// Whether --only, if given, selects `measurement`: a name that contains its argument, or a group of names, "a/b",
  /// whose path the argument begins with.
  bool wants(const std::string& measurement) const;

  bool on_cuda() const { return device_.kind == DeviceKind::cuda; }
  /// The device, for SearchOptions.
  DeviceChoice choice() const { return choice_; }
  /// Why no CUDA device is used.
  const std::string& no_cuda_reason() const { return no_cuda_reason_; }

  int repeat = 5;          ///< runs after the warm-up
  std::uint64_t seed = 1;  ///< of the clouds
  int threads = 0;         ///< CPU threads; run() replaces 0 by those of the machine

 private:
  struct Parser;
  void choose_device();
  Json options_json() const;

  std::string name_;
  std::string device_name_ = "auto", json_;
  std::vector<std::string> only_;
  DeviceInfo device_;
  DeviceChoice choice_;
  std::string no_cuda_reason_;
  std::vector<std::pair<std::string, std::function<Json()>>> values_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace kann::bench
