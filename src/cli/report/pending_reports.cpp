#include "cli/report/pending_reports.hpp"

#include <mutex>
#include <utility>

namespace kann::cli {
namespace {

std::mutex mutex;  // guards the next two; a thread that holds it ends the program
PendingReports* pending = nullptr;
bool are_held = false;

}  // namespace

PendingReports::PendingReports(std::function<bool()> hold, std::function<void()> write)
    : hold_(std::move(hold)), write_(std::move(write)) {
  const std::lock_guard lock(mutex);
  pending = this;
}

PendingReports::~PendingReports() {
  const std::lock_guard lock(mutex);
  pending = nullptr;
}

void hold_pending_reports() {
  mutex.lock();  // never unlocked: the reports stay
  are_held = pending && pending->hold_();
}

void write_pending_reports() {
  if (std::exchange(are_held, false)) pending->write_();
}

}  // namespace kann::cli
