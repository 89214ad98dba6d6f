// What a batch still has to report when a signal ends the program: jobs that have ended, but wait for earlier ones.
#pragma once

#include <functional>

namespace kann::cli {

/// Registers the pending reports of a batch. Only one object at a time.
class PendingReports {
 public:
  /// @param hold waits briefly until no thread reports a job, then keeps all threads from doing so; returns whether
  ///         that succeeded
  /// @param write writes the reports; called after `hold`
  PendingReports(std::function<bool()> hold, std::function<void()> write);
  ~PendingReports();
  PendingReports(const PendingReports&) = delete;
  PendingReports& operator=(const PendingReports&) = delete;

 private:
  friend void hold_pending_reports();
  friend void write_pending_reports();

  std::function<bool()> hold_;
  std::function<void()> write_;
};

/// Called by the thread that will end the program, before claim_end(), which stops the other threads wherever they are.
void hold_pending_reports();

/// Writes the pending reports, if hold_pending_reports() succeeded. They are written only once.
void write_pending_reports();

}  // namespace kann::cli
