// kann::Index as Python has it: also the child of a fork may search it.
#pragma once

#include <memory>
#include <nanobind/nanobind.h>
#include <utility>

#include "kann/index.hpp"

namespace kann::python {

/// The number of forks between the process that loaded the module and this one.
int forks();

/// An index of an array that the caller keeps alive. A thread that searches the index while another thread forks may
/// hold its locks, or may have made a part of it. The child does not have that thread, so it makes a new index, which
/// is as if the process had forked before the first search. use() and the destructor are called with the GIL.
class HostIndex {
 public:
  HostIndex(const PointsView& data, const IndexOptions& options)
      : data_(data), options_(options), index_(std::make_unique<Index>(data, options)) {}
  ~HostIndex() {
    if (is_interrupted()) static_cast<void>(index_.release());
  }
  HostIndex(const HostIndex&) = delete;
  HostIndex& operator=(const HostIndex&) = delete;

  const PointsView& data() const { return data_; }

  /// What `f(index)` returns, which may release the GIL meanwhile.
  template <class F>
  auto use(F f) {
    if (is_interrupted()) {
      auto renewed = std::make_unique<Index>(data_, options_);
      static_cast<void>(index_.release());  // to destroy it may block, too
      index_ = std::move(renewed);
      calls_ = 0;
    }
    forks_ = forks();
    const Call call(calls_);
    return f(*index_);
  }

 private:
  struct Call {
    explicit Call(int& calls) : calls(calls) { ++calls; }
    ~Call() { --calls; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    int& calls;
  };

  bool is_interrupted() const { return forks_ != forks() && calls_ > 0; }

  const PointsView data_;
  const IndexOptions options_;
  std::unique_ptr<Index> index_;
  int calls_ = 0;  ///< that have begun and not ended; after a fork, those of threads that the child does not have
  int forks_ = forks();
};

/// Adds the searches for all neighbours within a radius to the module, and to its index.
void add_lists(nanobind::module_& module, nanobind::class_<HostIndex>& index);

}  // namespace kann::python
