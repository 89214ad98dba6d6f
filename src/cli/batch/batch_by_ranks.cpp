// A batch that several ranks do together: one job after the other, each by all ranks.
#include <cstdint>
#include <memory>
#include <utility>

#include "cli/batch/batch.hpp"
#include "cli/batch/batch_job.hpp"
#include "cli/batch/finished_jobs.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/publish_report.hpp"

namespace kann::cli {
namespace {

class BatchByRanks {
 public:
  BatchByRanks(const Options& options, JobSource& jobs, const SearchOptions& search_options, DeviceStart& device,
               Report& report, Progress& progress, flow::Communicator& ranks)
      : options_(options),
        jobs_(jobs),
        search_options_(search_options),
        device_(device),
        ranks_(ranks),
        finished_(options, report, progress, jobs.count()) {}

  int run() {
    std::int64_t left = 0;
    while (auto entry = jobs_.next([] { return false; })) {
      if ((options_.fail_fast && finished_.any_failed()) || finished_.lacks_device())
        ++left;
      else
        do_job(std::move(*entry));
    }
    return finished_.end(left);
  }

 private:
  void do_job(JobEntry entry) {
    auto job = std::make_unique<BatchJob>(std::move(entry), options_);
    finished_.begin(*job);
    attempt(*job, [&] { open(*job); });
    attempt(*job, [&] {
      job->job->read_clouds();
      job->job->search(device_.start_up());
      job->job->make_products();
    });
    attempt(*job, [&] {
      job->job->publish();
      job->job->summarise();
    });
    if (options_.verify || options_.compare) attempt(*job, [&] { job->job->check(); });
    job->job.reset();
    finished_.add(*job);
  }

  /// Calls a step on all ranks. If it fails on one of them, it has failed on all.
  template <class Step>
  void attempt(BatchJob& job, Step step) {
    job.attempt([&] {
      run_together(ranks_, [&] {
        step();
        ranks_.wait();
      });
    });
    ranks_.recover();
  }

  void open(BatchJob& job) {
    job.options = checked_options_of(job.entry, options_);
    const Options& options = job.options;
    protect_inputs(options);
    protect_files_from_reports(options);
    job.report.is_skipped = ranks_.any(ranks_.rank() == 0 && options.skip_existing && has_result(options));
    if (job.report.is_skipped) return;
    OutputFiles files = ranks_.rank() == 0 ? open_outputs(options) : OutputFiles();
    job.job.emplace(JobContext{options, job.report, job.messages, ranks_, search_options_.threads}, search_options_,
                    std::move(files));
  }

  const Options& options_;
  JobSource& jobs_;
  const SearchOptions& search_options_;
  DeviceStart& device_;
  flow::Communicator& ranks_;
  FinishedJobs finished_;
};

}  // namespace

int run_batch_by_ranks(const Options& options, JobSource& jobs, const SearchOptions& search_options,
                       DeviceStart& device, Report& report, Progress& progress, flow::Communicator& ranks) {
  return BatchByRanks(options, jobs, search_options, device, report, progress, ranks).run();
}

}  // namespace kann::cli
