#include "cli/batch/check_jobs.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>

#include "kann/error.hpp"

#include "cli/options/output_path.hpp"

namespace kann::cli {
namespace {

/// The same for all paths of a file, whether it exists or not.
std::string resolved(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : whole.string();
}

[[noreturn]] void refuse_output(const JobEntry& job, const Options& batch, const std::string& output,
                                const std::string& what) {
  std::string mend;
  if (batch.histogram && output.ends_with(".svg"))
    mend = "; choose another --histogram, such as '{index}.svg'";
  else if (job.where.empty())
    mend = "; choose another --output, such as '{index}.npz'";
  throw Error(ErrorKind::usage, name_of(job) + ": " + output + " " + what + mend);
}

/// The options of a job, unless it has a fault, or gets one here.
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
  for (const std::string& output : result_paths(*options)) {
    refuse(outputs_, output, "output");
    refuse(inputs_, output, "input");
  }
  for (const std::string& input : inputs) refuse(outputs_, input, "output");
  if (!job.fault.empty()) return;
  for (const std::string& output : result_paths(*options)) outputs_.emplace(key(output), job.where);
  for (const std::string& input : inputs) inputs_.emplace(key(input), job.where);
}

void check_jobs(std::vector<JobEntry>& jobs, const Options& batch) {
  std::unordered_map<std::string, const JobEntry*> outputs;
  std::unordered_map<std::string, std::string> inputs;  // as they were given, by what they resolve to
  std::string last_input;                               // that of many jobs in a row is looked up once
  for (JobEntry& job : jobs) {
    const std::optional<Options> options = options_unless_faulty(job, batch);
    if (!options) continue;
    for (const std::string& output : result_paths(*options)) {
      const auto [other, is_new] = outputs.emplace(resolved(output), &job);
      if (!is_new) refuse_output(job, batch, output, "is the output of " + name_of(*other->second) + ", too");
    }
    for (const std::string& input : {options->data, options->query.value_or(options->data)})
      if (last_input != input) inputs.emplace(resolved(last_input = input), input);
  }
  for (const auto& [path, job] : outputs)
    if (const auto input = inputs.find(path); input != inputs.end())
      refuse_output(*job, batch, input->second, "is an input of the batch, and would be its output");
}

}  // namespace kann::cli
