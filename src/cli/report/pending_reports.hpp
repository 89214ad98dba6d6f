// What a batch has still to report when a signal ends the program: jobs that have ended, and wait for those before
// them.
#pragma once

#include <functional>

namespace kann::cli {

/// One at a time.
class PendingReports {
 public:
  /// @param hold waits briefly until no thread reports a job, and keeps all from it; returns whether none does
  /// @param write is called after that
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

/// Called by the thread that will end the program, before claim_end(), which stops the others wherever they are.
void hold_pending_reports();

/// Writes them, if hold_pending_reports() could keep the others from it. Once.
void write_pending_reports();

}  // namespace kann::cli
