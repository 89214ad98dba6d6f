#include "cli/batch/job_source.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "cli/batch/check_jobs.hpp"
#include "cli/batch/line_reader.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/input.hpp"

namespace kann::cli {
namespace {

/// Reads a list of jobs.
class JobLines {
 public:
  JobLines(int file, std::string name) : lines_(file), name_(std::move(name)) {}

  std::optional<JobEntry> next(const std::function<bool()>& is_stopped) {
    for (std::string line;;) {
      const LineReader::Outcome outcome = next_line(line, is_stopped);
      if (outcome == LineReader::Outcome::end) return std::nullopt;
      ++line_number_;
      const bool is_too_long = outcome == LineReader::Outcome::too_long;
      if (line_number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // an editor's byte order mark
      const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
      if (!is_too_long && (line.find_first_not_of(" \t\r") == std::string::npos || line.substr(begin).starts_with('#')))
        continue;
      JobEntry entry = read_job_line(line);
      if (is_too_long) entry.fault = "is longer than 1 MiB";
      entry.number = ++number_;
      entry.where = name_ + ":" + std::to_string(line_number_);
      return entry;
    }
  }

 private:
  LineReader::Outcome next_line(std::string& line, const std::function<bool()>& is_stopped) {
    try {
      return lines_.next(line, is_stopped);
    } catch (const std::system_error& error) {
      throw Error(ErrorKind::bad_input, name_ + ": " + error.code().message());
    }
  }

  LineReader lines_;
  std::string name_;
  std::int64_t line_number_ = 0, number_ = 0;
};

class StreamedJobs : public JobSource {
 public:
  explicit StreamedJobs(Options common) : common_(std::move(common)), files_(common_) {}

  std::optional<JobEntry> next(const std::function<bool()>& is_stopped) override {
    auto job = lines_.next(is_stopped);
    if (job) files_.add(*job);
    return job;
  }

 private:
  const Options common_;
  StreamFiles files_;
  JobLines lines_{STDIN_FILENO, "stdin"};
};

class ListedJobs : public JobSource {
 public:
  explicit ListedJobs(std::vector<JobEntry> jobs) : jobs_(std::move(jobs)) {}

  std::optional<JobEntry> next(const std::function<bool()>&) override {
    if (next_ == jobs_.size()) return std::nullopt;
    return std::move(jobs_[next_++]);
  }
  std::optional<std::int64_t> count() const override { return static_cast<std::int64_t>(jobs_.size()); }
  std::vector<Sampled> sample(std::size_t maximum) const override {
    std::vector<Sampled> sampled;
    const std::size_t step = (jobs_.size() + maximum - 1) / maximum;
    for (std::size_t i = next_; i < jobs_.size(); i += step)
      sampled.push_back({jobs_[i], i == 0 ? std::nullopt : std::optional(jobs_[i - 1])});
    return sampled;
  }
  bool is_next_of(const std::string& path) const override {
    if (next_ == jobs_.size()) return false;
    const JobEntry& next = jobs_[next_];
    return next.data.empty() || next.is_one_file || next.data == path;
  }

 private:
  std::vector<JobEntry> jobs_;
  std::size_t next_ = 0;
};

std::vector<JobEntry> jobs_of_queries(const std::vector<std::string>& queries) {
  std::vector<JobEntry> jobs;
  for (const std::string& query : queries) {
    JobEntry& job = jobs.emplace_back();
    job.number = static_cast<std::int64_t>(jobs.size());
    job.query = query;
  }
  return jobs;
}

std::vector<JobEntry> jobs_of_file(const std::string& path) {
  const formats::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw Error(ErrorKind::bad_input, path + ": " + std::generic_category().message(errno));
  JobLines lines(file.get(), path);
  std::vector<JobEntry> jobs;
  while (auto job = lines.next([] { return false; })) jobs.push_back(std::move(*job));
  return jobs;
}

/// Refuses a list in which no line can be a job, such as a cloud that was taken for a list, by the fault of its first
/// line, so that there is not an error for every line.
void check_any_job(const std::vector<JobEntry>& jobs, const Options& common) {
  std::optional<Error> first;
  for (const JobEntry& job : jobs) try {
      checked_options_of(job, common);
      return;
    } catch (const Error& error) {
      if (!first) first.emplace(error.kind(), with_name(job, error.what()));
    }
  if (jobs.size() > 1)
    throw Error(first->kind(), fmt::format("{}; none of the {} lines is a job", first->what(), jobs.size()));
}

}  // namespace

std::unique_ptr<JobSource> open_jobs(const Options& options) {
  Options common = options;
  common.queries.clear();  // each job has a copy of the rest
  if (options.jobs == "-") return std::make_unique<StreamedJobs>(std::move(common));
  auto jobs = options.jobs ? jobs_of_file(*options.jobs) : jobs_of_queries(options.queries);
  std::error_code ignored;
  if (!options.jobs && !std::filesystem::exists(options.data, ignored))
    formats::Input input(options.data);  // fails here, once, and not in each job
  check_jobs(jobs, common);
  if (options.jobs) check_any_job(jobs, common);
  return std::make_unique<ListedJobs>(std::move(jobs));
}

}  // namespace kann::cli
