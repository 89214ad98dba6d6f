#include "cli/batch/check_jobs.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "kann/error.hpp"

#include "cli/options/output_path.hpp"

namespace kann::cli {
namespace {

/// A text that is the same for all paths of a file, whether or not the file exists.
std::string resolved(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : whole.string();
}

[[noreturn]] void refuse_output(const JobEntry& job, const OutputPath& output, const std::string& what) {
  const std::string mend = output.option == "--output" && !job.where.empty()
                               ? ""  // the list named it
                               : fmt::format("; choose another {}, such as '{{index}}.{}'", output.option,
                                             output.option == "--output" ? "npz" : "png");
  throw Error(ErrorKind::usage, name_of(job) + ": " + output.path + " " + what + mend);
}

/// The options of a job; none if it has a fault, or if making its options gives it one.
std::optional<Options> options_unless_faulty(JobEntry& job, const Options& batch) {
  if (!job.fault.empty()) return std::nullopt;
  try {
    return options_of(job, batch);
  } catch (const Error& error) {
    if (job.where.empty()) throw;
    job.fault = error.what();
    return std::nullopt;
  }
}

}  // namespace

void StreamFiles::add(JobEntry& job) {
  const std::optional<Options> options = options_unless_faulty(job, batch_);
  if (!options) return;
  const auto key = [](const std::string& path) { return std::hash<std::string>()(resolved(path)); };
  const auto refuse = [&](const Places& places, const std::string& path, const std::string& what) {
    const auto found = places.find(key(path));
    if (found != places.end() && job.fault.empty()) job.fault = path + " is the " + what + " of " + found->second;
  };
  const std::string inputs[] = {options->data, options->query.value_or(options->data)};
  for (const OutputPath& output : output_paths(*options)) {
    refuse(outputs_, output.path, "output");
    refuse(inputs_, output.path, "input");
  }
  for (const std::string& input : inputs) refuse(outputs_, input, "output");
  if (!job.fault.empty()) return;
  for (const OutputPath& output : output_paths(*options)) outputs_.emplace(key(output.path), job.where);
  for (const std::string& input : inputs) inputs_.emplace(key(input), job.where);
}

void check_jobs(std::vector<JobEntry>& jobs, const Options& batch) {
  struct Writer {
    const JobEntry* job;
    std::string_view option;
  };
  std::unordered_map<std::string, Writer> outputs;
  std::unordered_map<std::string, std::string> inputs;  // the paths as given, by the paths that they resolve to
  std::string last_input;  // often the same for many jobs in a row, and then looked up once
  for (JobEntry& job : jobs) {
    const std::optional<Options> options = options_unless_faulty(job, batch);
    if (!options) continue;
    for (const OutputPath& output : output_paths(*options)) {
      const auto [other, is_new] = outputs.emplace(resolved(output.path), Writer{&job, output.option});
      if (!is_new) refuse_output(job, output, "is the output of " + name_of(*other->second.job) + ", too");
    }
    for (const std::string& input : {options->data, options->query.value_or(options->data)})
      if (last_input != input) inputs.emplace(resolved(last_input = input), input);
  }
  for (const auto& [path, writer] : outputs)
    if (const auto input = inputs.find(path); input != inputs.end())
      refuse_output(*writer.job, {input->second, writer.option}, "is an input of the batch, and would be its output");
  for (const auto* const of_batch : {&batch.report, &batch.html})
    if (*of_batch) {
      if (inputs.contains(resolved(**of_batch)))
        throw Error(ErrorKind::usage, **of_batch + ": is an input of the batch; choose another " +
                                          (of_batch == &batch.html ? "--html" : "--report"));
      if (const auto output = outputs.find(resolved(**of_batch)); output != outputs.end())
        refuse_output(*output->second.job, {**of_batch, output->second.option},
                      of_batch == &batch.html ? "is the page of the batch, too" : "is the report of the batch, too");
    }
}

}  // namespace kann::cli
