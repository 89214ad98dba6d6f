#include "cli/batch/batch.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/query_grid.hpp"

#include "base/host_memory.hpp"
#include "base/threads/first_exception.hpp"
#include "base/threads/signal_stack.hpp"
#include "cli/batch/batch_job.hpp"
#include "cli/batch/finished_jobs.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/publish_report.hpp"

namespace kann::cli {
namespace {

/// A queue of a few values between threads.
template <class T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}

  /// Appends a value; blocks while the channel is full.
  void push(T value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return values_.size() < capacity_; });
    values_.push_back(std::move(value));
    changed_.notify_all();
  }

  /// The oldest value; blocks while there is none. None once it is empty and closed.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !values_.empty() || is_closed_; });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    changed_.notify_all();
    return value;
  }

  /// Says that no further value will be pushed.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
  bool is_closed_ = false;
};

/// How many results are written at the same time; most of that time is spent waiting for a disk.
constexpr int k_writers = 4;

/// How many threads read, and how many write; more would take processors from the search.
constexpr int k_io_threads = 4;

double file_bytes(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<double>(bytes);
}

/// Roughly the memory that a job takes once its reading begins: the clouds with what the search makes of them, and the
/// rows, for which the queries are assumed to take 12 bytes each in their file. A grid counts as a file of its cells,
/// once their number is known.
double job_bytes(const Options& options, bool reads_data, const std::optional<QueryGrid>& grid) {
  constexpr double per_file_byte = 8, point_bytes = 12, neighbor_bytes = 8;
  const double queries =
      grid ? point_bytes * static_cast<double>(grid->size()) : file_bytes(options.query.value_or(options.data));
  const double clouds = (reads_data ? file_bytes(options.data) : 0) + (options.query || grid ? queries : 0);
  return per_file_byte * clouds + neighbor_bytes * static_cast<double>(options.search.k) * queries / point_bytes;
}

/// Lets a job begin when its memory fits beside that of the running jobs.
class MemoryGate {
 public:
  /// @param bytes that all jobs may take together
  explicit MemoryGate(double bytes) : budget_(bytes) {}

  /// Blocks until `bytes` fit, or nobody else holds any: a job that is too large runs alone.
  void acquire(double bytes) {
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return jobs_ == 0 || used_ + bytes <= budget_; });
    used_ += bytes;
    ++jobs_;
  }

  void release(double bytes) {
    const std::lock_guard lock(mutex_);
    used_ = --jobs_ == 0 ? 0 : used_ - bytes;
    released_.notify_all();
  }

 private:
  const double budget_;
  std::mutex mutex_;
  std::condition_variable released_;
  double used_ = 0;
  int jobs_ = 0;
};

class Batch {
 public:
  Batch(const Options& options, JobSource& jobs, const SearchOptions& search_options, DeviceStart& device,
        Report& report, Progress& progress)
      : options_(options),
        jobs_(jobs),
        search_options_(search_options),
        device_(device),
        memory_(static_cast<double>(base::available_host_memory()) / 2),
        finished_(options, report, progress, jobs.count()) {}

  int run() {
    std::vector<std::thread> threads;
    try {
      threads.push_back(start([this] { read(); }));
      for (int i = 0; i < k_writers; ++i) threads.push_back(start([this] { write(); }));
    } catch (const std::system_error&) {
      error_.capture([] { throw Error(ErrorKind::resources, "the threads of a batch cannot be started"); });
      is_stopped_ = true;
      if (threads.empty()) to_search_.close();
    }
    search();
    to_write_.close();
    for (std::thread& thread : threads) thread.join();
    error_.rethrow();
    return finished_.end(left_);
  }

 private:
  using Passed = std::unique_ptr<BatchJob>;

  template <class F>
  std::thread start(F f) {
    return std::thread([f] {
      const base::SignalStack stack;
      f();
    });
  }

  /// Whether no further job shall begin. A device that cannot be used stops the batch, as all jobs would fail.
  bool is_stopped() const {
    return is_stopped_ || (options_.fail_fast && finished_.any_failed()) || finished_.lacks_device();
  }

  void read() {
    std::shared_ptr<const LoadedData> data;
    error_.capture([&] {
      while (!is_stopped()) {
        auto entry = jobs_.next([this] { return is_stopped(); });
        if (!entry) break;
        Passed job = begin(std::move(*entry), data);
        to_search_.push(std::move(job));
      }
      if (is_stopped() && jobs_.count())
        while (jobs_.next([] { return false; })) ++left_;
    });
    to_search_.close();
  }

  /// Reads the clouds of a job. `data` are the data of the previous job, and become those of this one.
  Passed begin(JobEntry entry, std::shared_ptr<const LoadedData>& data) {
    auto job = std::make_unique<BatchJob>(std::move(entry), options_);
    job->attempt([&] { job->options = checked_options_of(job->entry, options_); });
    job->attempt([&] { open(*job, data); });
    job->attempt([&] {
      const bool reads_data = is_to_be_read(job->options, data);
      job->job->read_clouds(data);
      if (job->report.grid) acquire(*job, reads_data);
      job->by_index = job->job->data() == data || jobs_.is_next_of(job->options.data);
      data = job->job->data();
    });
    return job;
  }

  void open(BatchJob& job, const std::shared_ptr<const LoadedData>& data) {
    const Options& options = job.options;
    protect_inputs(options);
    protect_files_from_reports(options);
    job.is_stored = options.skip_existing && has_result(options);
    job.report.is_skipped = job.is_stored && !options.has_checks();
    if (job.report.is_skipped) return;
    job.options.rows_are_stored = job.is_stored;
    OutputFiles files = job.is_stored ? OutputFiles() : open_outputs(options);
    acquire(job, is_to_be_read(options, data));
    job.job.emplace(JobContext{options, job.report, job.messages, std::min(search_options_.threads, k_io_threads)},
                    search_options_, std::move(files));
  }

  static bool is_to_be_read(const Options& options, const std::shared_ptr<const LoadedData>& data) {
    return !data || !data->is_still(options.data);
  }

  /// Waits until there is memory for a job, as far as its need is known. First releases what the job already holds,
  /// since it could otherwise wait for its own memory.
  void acquire(BatchJob& job, bool reads_data) {
    if (job.job) memory_.release(job.bytes);
    job.bytes = job_bytes(job.options, reads_data, job.report.grid);
    memory_.acquire(job.bytes);
  }

  void search() {
    while (auto popped = to_search_.pop()) {
      Passed& job = *popped;
      if (is_stopped() && !job->report.failure && !job->report.is_skipped) {
        give_up(std::move(job));
        continue;
      }
      finished_.begin(*job);
      job->attempt([&] {
        if (job->is_stored) return job->job->take_rows(job->options.output);
        job->job->search(device_.start_up(), job->by_index);
        device_.count(*job->report.search);
      });
      to_write_.push(std::move(job));
    }
  }

  /// Gives up a job that was already read when another one failed.
  void give_up(Passed job) {
    ++left_;
    release(*job);
  }

  void write() {
    while (auto popped = to_write_.pop()) {
      Passed& job = *popped;
      job->attempt([&] {
        if (job->is_stored) return;
        job->job->make_products();
        job->job->publish();
        job->job->summarise();
      });
      if (options_.has_checks()) job->attempt([&] { job->job->check(); });
      job->report.is_skipped = job->is_stored;
      release(*job);
      error_.capture([&] { finished_.add(*job); });
      if (error_.caught()) is_stopped_ = true;
    }
  }

  void release(BatchJob& job) {
    if (!job.job) return;
    job.job.reset();
    memory_.release(job.bytes);
  }

  const Options& options_;
  JobSource& jobs_;
  const SearchOptions& search_options_;
  DeviceStart& device_;
  MemoryGate memory_;
  FinishedJobs finished_;
  Channel<Passed> to_search_{1}, to_write_{1};
  std::atomic<bool> is_stopped_{false};
  std::atomic<std::int64_t> left_{0};
  base::FirstException error_;
};

}  // namespace

double expected_cpu_seconds(const JobSource& jobs, const Options& batch) {
  constexpr std::size_t maximum = 64;
  const std::vector<JobSource::Sampled> sampled = jobs.sample(maximum);
  double seconds = 0;
  for (const auto& [job, before] : sampled) try {
      const Options options = options_of(job, batch);
      if (auto size = expected_search(options)) {
        size->data_are_ordered = before && options_of(*before, batch).data == options.data;
        seconds += detail::cpu_seconds(*size, options.search);
      }
    } catch (const Error&) {
      // A job that cannot run
    }
  return sampled.empty() ? 0 : seconds * static_cast<double>(*jobs.count()) / static_cast<double>(sampled.size());
}

int run_batch(const Options& options, JobSource& jobs, const SearchOptions& search_options, DeviceStart& device,
              Report& report, Progress& progress) {
  device.expect(expected_cpu_seconds(jobs, options));
  return Batch(options, jobs, search_options, device, report, progress).run();
}

}  // namespace kann::cli
