#include "flow/ranks/threads.hpp"

#include <barrier>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads/first_exception.hpp"
#include "base/threads/signal_stack.hpp"

namespace kann::flow {
namespace {

/// What is on its way from each rank to each.
struct Table {
  explicit Table(int ranks)
      : size(ranks), cells(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)), meeting(ranks) {}

  Bytes& cell(int from, int to) { return cells[static_cast<std::size_t>(from * size + to)]; }

  const int size;
  std::vector<Bytes> cells;
  std::barrier<> meeting;
};

class ThreadRank : public Communicator {
 public:
  ThreadRank(Table& table, int rank) : table_(table), rank_(rank) {}

  int size() const override { return table_.size; }
  int rank() const override { return rank_; }
  int host_size() const override { return table_.size; }
  int host_rank() const override { return rank_; }

 private:
  std::vector<Bytes> gather_all(Bytes own) override {
    return exchange_all(std::vector<Bytes>(static_cast<std::size_t>(table_.size), own));
  }

  std::vector<Bytes> exchange_all(std::vector<Bytes> to) override {
    for (int r = 0; r < table_.size; ++r) table_.cell(rank_, r) = std::move(to[static_cast<std::size_t>(r)]);
    table_.meeting.arrive_and_wait();
    std::vector<Bytes> from;
    for (int r = 0; r < table_.size; ++r) from.push_back(std::move(table_.cell(r, rank_)));
    table_.meeting.arrive_and_wait();
    return from;
  }

  Table& table_;
  const int rank_;
};

}  // namespace

void run_on_threads(int ranks, const std::function<void(Communicator&)>& f) {
  Table table(ranks);
  base::FirstException first;
  const auto run = [&](int rank) {
    ThreadRank own(table, rank);
    first.capture([&] { run_together(own, [&] { f(own); }); });
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < ranks; ++rank)
    others.emplace_back([&run, rank] {
      const base::SignalStack stack;
      run(rank);
    });
  run(0);
  others.clear();
  first.rethrow();
}

}  // namespace kann::flow
