// The mean of neighbours' values, plain or weighted by 1 / d².
#include <atomic>
#include <cmath>
#include <limits>

#include "base/threads/parallel.hpp"
#include "geometry/interpolation/inverse_distance.hpp"
#include "products/attributes/differences.hpp"
#include "products/attributes/methods.hpp"

namespace kann::attributes {
namespace {

/// The mean of values, in the order in which they are added.
class PlainMean {
 public:
  explicit PlainMean(const Transfer&) {}
  void begin(std::int64_t) { sum_ = count_ = 0; }
  void add(double value, std::size_t) {
    sum_ += value;
    count_ += 1;
  }
  double mean() const { return count_ == 0 ? std::numeric_limits<double>::quiet_NaN() : sum_ / count_; }

 private:
  double sum_ = 0, count_ = 0;
};

class WeightedMean {
 public:
  explicit WeightedMean(const Transfer& t)
      : t_(t), differences_(t.data, t.queries, t.options.periodic, t.options.images, "transfer") {}
  void begin(std::int64_t query) {
    const auto [begin, end] = t_.rows.row(query);
    differences_.set_row(query, t_.ids.subspan(begin, end - begin), t_.rows.distances.subspan(begin, end - begin));
    mean_.clear();
  }
  void add(double value, std::size_t place) { mean_.add(value, differences_.to(place)); }
  double mean() const { return mean_.mean(); }

 private:
  const Transfer& t_;
  Differences differences_;
  interpolation::InverseDistanceMean mean_;
};

template <class Mean, class T>
Means means_of(const Transfer& transfer, const Attribute& attribute, const Array<T>& values) {
  Means out{Array<double>(static_cast<std::size_t>(transfer.rows.count))};
  std::atomic<std::int64_t> nan_values{0};
  constexpr std::int64_t grain = 4096;
  base::parallel_chunks(transfer.rows.count, grain, transfer.threads, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t left_out = 0;
    Mean mean(transfer);
    for (std::int64_t query = begin; query < end; ++query) {
      mean.begin(query);
      transfer.for_each_neighbor(query, [&](std::int32_t id, std::size_t place) {
        const double value = static_cast<double>(values[id]);
        if (std::isfinite(value) && !attribute.is_missing(values[id])) {
          mean.add(value, place);
        } else {
          ++left_out;
        }
        return true;
      });
      out.values[query] = mean.mean();
    }
    nan_values += left_out;
  });
  out.nan_values = nan_values;
  return out;
}

}  // namespace

Means weighted_means(const Transfer& transfer, const Attribute& attribute) {
  return std::visit(
      [&](const auto& values) {
        return transfer.options.method == TransferMethod::mean ? means_of<PlainMean>(transfer, attribute, values)
                                                               : means_of<WeightedMean>(transfer, attribute, values);
      },
      attribute.values);
}

}  // namespace kann::attributes
