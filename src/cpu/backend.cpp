#include "cpu/backend.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cpu/order.hpp"
#include "cpu/select.hpp"
#include "cpu/sq_distances.hpp"
#include "geometry/morton.hpp"
#include "geometry/window.hpp"
#include "host_memory.hpp"
#include "parallel.hpp"

namespace kann::cpu {
namespace {

/// Adds the time since the last call to a step.
class Stopwatch {
 public:
  void lap(double& step) {
    const auto now = Clock::now();
    step += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// Queries a thread takes at a time: neighbours in Morton order, whose windows overlap in the cache.
constexpr std::int64_t k_query_chunk = 1024;

void check_memory(const Problem& p, std::int64_t kept) {
  const double a_point = 8 + sizeof(Keyed) + 4.0 * p.dimensions;  // code, place, gathered coordinates
  const double a_query = 8 + sizeof(Keyed) + 8 + 8.0 * static_cast<double>(kept) + 8.0 * static_cast<double>(p.k);
  check_host_memory(a_point * static_cast<double>(p.data_count) + a_query * static_cast<double>(p.query_count),
                    "the search");
}

/// The state of one search.
template <int D>
class Search {
 public:
  explicit Search(const Problem& p)
      : p_(p), list_size_(std::min(p.k, p.data_count)), data_order_(p.data_count), query_order_(p.query_count) {}

  Answer run() {
    encode_all();
    for (int j = 0; j < p_.shifts; ++j) {
      const std::uint64_t shift = shift_code<D>(j, p_.shifts);
      p_.progress("search", static_cast<double>(j) / p_.shifts);
      sort_data(shift);
      rank_queries(shift);
      select();
    }
    write_rows();
    p_.progress("search", 1);
    answer_.device = {"CPU", DeviceKind::cpu, p_.threads, 0};
    return std::move(answer_);
  }

 private:
  void encode_all() {
    data_codes_ = encode<D>(p_.data, p_.data_count, p_.grid, p_.threads);
    if (!p_.self_query()) query_codes_ = encode<D>(p_.queries, p_.query_count, p_.grid, p_.threads);
    watch_.lap(answer_.steps.encode);

    // Queries are taken in the order of shift 0 in every shift, so that threads walk through the data, not over it.
    query_order_.sort(query_codes(), 0, k_code_bits<D>, p_.threads);
    ranks_.resize(static_cast<std::size_t>(p_.query_count));
    kept_.assign(static_cast<std::size_t>(p_.query_count * list_size_), k_absent);
    watch_.lap(answer_.steps.sort);
  }

  void sort_data(std::uint64_t shift) {
    data_order_.sort(data_codes_, shift, p_.bits, p_.threads);
    data_order_.gather(p_.data, p_.threads);
    watch_.lap(answer_.steps.sort);
  }

  void rank_queries(std::uint64_t shift) {
    parallel_for(p_.query_count, p_.threads, [&](std::int64_t i) {
      ranks_[i] = data_order_.rank(sort_key<D>(query_codes()[query_order_.index(i)], shift, p_.bits));
    });
    watch_.lap(answer_.steps.rank);
  }

  void select() {
    if (list_size_ > 0)
      parallel_chunks(p_.query_count, k_query_chunk, p_.threads,
                      [&](std::int64_t begin, std::int64_t end) { select_range(begin, end); });
    watch_.lap(answer_.steps.select);
  }

  void select_range(std::int64_t begin, std::int64_t end) {
    Selector selector(list_size_);
    Array<float> sq_dists(static_cast<std::size_t>(window_around(0, p_.window, p_.data_count).end));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t query = query_order_.index(i);
      const Window w = window_around(ranks_[i], p_.window, p_.data_count);
      sq_distances(w, p_.queries + query * D, sq_dists.data());
      selector.merge(
          sq_dists.data(), [&](std::int64_t c) { return data_order_.index(w.begin + c); }, w.end - w.begin,
          p_.drop_self ? query : -1, &kept_[i * list_size_]);
    }
  }

  void sq_distances(const Window& w, const float* query, float* out) const {
    const auto axis = [&](int a) { return data_order_.axis(a) + w.begin; };
    if constexpr (D == 3) {
      sq_distances_3d(axis(0), axis(1), axis(2), w.end - w.begin, query, out);
    } else {
      sq_distances_2d(axis(0), axis(1), w.end - w.begin, query, out);
    }
  }

  void write_rows() {
    Neighbors& out = answer_.neighbors;
    out.queries = p_.query_count;
    out.k = p_.k;
    out.ids.resize(static_cast<std::size_t>(p_.query_count * p_.k));
    out.distances.resize(out.ids.size());
    parallel_for(p_.query_count, p_.threads, [&](std::int64_t i) {
      const std::int64_t row = static_cast<std::int64_t>(query_order_.index(i)) * p_.k;
      for (std::int64_t j = 0; j < p_.k; ++j) {
        const NeighborKey key = j < list_size_ ? kept_[i * list_size_ + j] : k_absent;
        out.ids[row + j] = neighbor_id(key);
        out.distances[row + j] = neighbor_distance(key, p_.unit);
      }
    });
    watch_.lap(answer_.steps.rows);
  }

  const Array<std::uint64_t>& query_codes() const { return p_.self_query() ? data_codes_ : query_codes_; }

  const Problem& p_;
  const std::int64_t list_size_;  // neighbours that a query can have
  Array<std::uint64_t> data_codes_, query_codes_;
  Order<D> data_order_, query_order_;
  Array<std::int64_t> ranks_;  // of the queries, in query_order_
  Array<NeighborKey> kept_;    // query_count rows of list_size_, in query_order_
  Answer answer_;
  Stopwatch watch_;
};

}  // namespace

Answer solve(const Problem& problem) {
  check_memory(problem, std::min(problem.k, problem.data_count));
  return problem.dimensions == 3 ? Search<3>(problem).run() : Search<2>(problem).run();
}

}  // namespace kann::cpu
