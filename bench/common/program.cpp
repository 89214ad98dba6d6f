#include "common/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <new>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann::bench {

struct Program::Parser {
  explicit Parser(const std::string& description) : app(description) {}
  CLI::App app;
};

Program::Program(std::string name, const std::string& description)
    : name_(std::move(name)), parser_(std::make_unique<Parser>(description)) {
  option("--device", device_name_, "auto, cpu, cuda or cuda:N");
  option("--repeat", repeat, "runs after the warm-up");
  option("--threads", threads, "CPU threads; 0: all of the machine");
  option("--only", only_, "measure only cases with this in their name; may be repeated");
  parser_->app.add_option("--seed", seed, "seed of the clouds")->capture_default_str();
  parser_->app.add_option("--json", json_, "file for the results; - is stdout, and the tables then go to stderr");
}
Program::~Program() = default;

void Program::option(const std::string& name, int& value, const std::string& help) {
  parser_->app.add_option(name, value, help)->capture_default_str();
  values_.emplace_back(name, [&value] { return Json(value); });
}
void Program::option(const std::string& name, std::string& value, const std::string& help) {
  parser_->app.add_option(name, value, help)->capture_default_str();
  values_.emplace_back(name, [&value] { return Json(value); });
}
void Program::option(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  parser_->app.add_option(name, values, help)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  values_.emplace_back(name, [&values] { return Json(values); });
}
void Program::option(const std::string& name, std::vector<std::pair<std::string, std::string>>& values,
                     const std::string& help) {
  parser_->app.add_option(name, values, help);
  values_.emplace_back(name, [&values] { return Json(values); });
}
void Program::option(const std::string& name, bool& value, const std::string& help) {
  parser_->app.add_flag(name, value, help);
  values_.emplace_back(name, [&value] { return Json(value); });
}

Json Program::options_json() const {
  Json json = {{"seed", seed}};
  for (const auto& [name, value] : values_) json[name.substr(name.find_first_not_of('-'))] = value();
  return json;
}

bool Program::wants(const std::string& measurement) const {
  return only_.empty() || std::any_of(only_.begin(), only_.end(), [&](const std::string& part) {
           return measurement.find(part) != std::string::npos || part.starts_with(measurement + "/");
         });
}

void Program::choose_device() {
  const auto number = device_name_.starts_with("cuda:") ? device_name_.substr(5) : "0";
  if (device_name_ != "auto" && device_name_ != "cpu" && device_name_ != "cuda" && !device_name_.starts_with("cuda:"))
    throw Error(ErrorKind::usage, "--device expects auto, cpu, cuda or cuda:N, got '" + device_name_ + "'");
  if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorKind::usage, "--device expects cuda:N, got '" + device_name_ + "'");
  choice_.index = std::stoi(number);
  choice_.kind = DeviceKind::cpu;
  no_cuda_reason_ = "--device cpu was asked for";
  if (device_name_ != "cpu") {
    const CudaStatus cuda = cuda_status(choice_.index);
    no_cuda_reason_ = cuda.usable ? "" : "no CUDA device (" + cuda.reason + ")";
    if (!cuda.usable && device_name_ != "auto") throw Error(ErrorKind::no_device, no_cuda_reason_);
    if (cuda.usable) choice_.kind = DeviceKind::cuda;
  }
  // A minimal search, to get the name of the device and to start it.
  SearchOptions options;
  options.device = choice_;
  options.k = 1;
  device_ = search_self(Points{3, Array<float>{0, 0, 0, 1, 1, 1}}, options).report.device;
}

int Program::run(int argc, char** argv, const std::function<void(Report&)>& body) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return parser_->app.exit(e);
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "{}: error: {}\n", name_, e.what());
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    threads = base::thread_count(threads);
    choose_device();
    Report report(name_, json_, device_, options_json());
    body(report);
    return report.finish();
  } catch (const Error& e) {
    fmt::print(stderr, "{}: error: {}\n", name_, e.what());
    return e.exit_code();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "{}: error: host memory is used up\n", name_);
    return static_cast<int>(ErrorKind::resources);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: error: {}\n", name_, e.what());
    return static_cast<int>(ErrorKind::internal);
  }
}

}  // namespace kann::bench
