#include "cli/batch/job_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <poll.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "cli/batch/check_jobs.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/input.hpp"

namespace kann::cli {
namespace {

/// Reads lines from a file or a pipe as they arrive.
class LineReader {
 public:
  /// @param file an open descriptor, which the caller continues to own
  explicit LineReader(int file) : file_(file) {}

  enum class Outcome { line, too_long, end };

  /// The next line without its newline. Blocks while a pipe has none, unless is_stopped() becomes true: then, as at the
  /// end, there is none. Lines of more than a mebibyte are skipped. @throws std::system_error.
  Outcome next(std::string& line, const std::function<bool()>& is_stopped);

 private:
  bool read_more(const std::function<bool()>& is_stopped);

  int file_;
  std::string buffer_;
  std::size_t begin_ = 0;  // where the text that was not given yet begins
  bool is_at_end_ = false;
};

constexpr std::size_t k_max_line = std::size_t{1} << 20;

/// Waits for bytes and reads them. False at the end, or if is_stopped().
bool LineReader::read_more(const std::function<bool()>& is_stopped) {
  constexpr std::size_t at_once = std::size_t{64} << 10;
  constexpr int milliseconds = 50;
  for (;;) {
    pollfd ready{file_, POLLIN, 0};
    if (poll(&ready, 1, milliseconds) == 0) {
      if (is_stopped()) return false;
      continue;
    }
    const std::size_t size = buffer_.size();
    buffer_.resize(size + at_once);
    const ssize_t got = read(file_, buffer_.data() + size, at_once);
    buffer_.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got > 0) return true;
    if (got == 0) is_at_end_ = true;
    if (got == 0) return false;
    if (errno != EINTR && errno != EAGAIN) throw std::system_error(errno, std::generic_category());
  }
}

LineReader::Outcome LineReader::next(std::string& line, const std::function<bool()>& is_stopped) {
  bool is_too_long = false;
  for (std::size_t searched = begin_;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      is_too_long |= end - begin_ > k_max_line;
      line.assign(buffer_, begin_, is_too_long ? 0 : end - begin_);
      begin_ = end + 1;
      return is_too_long ? Outcome::too_long : Outcome::line;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    if (buffer_.size() > k_max_line) {
      is_too_long = true;
      buffer_.clear();
    }
    searched = buffer_.size();
    if (read_more(is_stopped)) continue;
    if (!is_at_end_ || (buffer_.empty() && !is_too_long)) return Outcome::end;
    line = is_too_long ? std::string() : std::exchange(buffer_, {});
    buffer_.clear();
    return is_too_long ? Outcome::too_long : Outcome::line;
  }
}

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
