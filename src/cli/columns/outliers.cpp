// --outliers: which queries are noise by the mean distance to their neighbours.
#include "kann/outliers.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/left_out.hpp"
#include "base/memory_budget.hpp"
#include "cli/asked/wanted_attributes.hpp"
#include "cli/columns/product.hpp"

namespace kann::cli {
namespace {

class Outliers final : public Product {
 public:
  explicit Outliers(const ProductInput& input)
      : input_(input),
        options_(*input.options.outliers),
        limits_(outlier_limits(input.found.rows(), options_, input.threads)) {}

  std::vector<ProductColumn> columns() const override { return {{{"outlier", Array<std::uint8_t>(), Meaning::found}}}; }

  /// Points that a condition leaves out are none.
  bool reads_points() const override { return static_cast<bool>(condition_of_queries(input_.options)); }

  std::vector<Attribute> make(const flow::FoundBlock& block) override {
    Array<std::uint8_t> flags = outlier_flags(block.rows, options_, limits_, input_.threads);
    if (reads_points()) {
      const PointsView points = block.queries.points;
      for (std::size_t i = 0; i < flags.size(); ++i)
        flags[i] &= !base::is_left_out(points.at(static_cast<std::int64_t>(i), 0));
    }
    return {{"outlier", std::move(flags), Meaning::found}};
  }

  void finish(ColumnFacts& facts, const std::function<void(const Values&)>&) override {
    std::int64_t count = 0;
    input_.found.rows().for_each([&](const Rows& rows) {
      const Array<std::uint8_t> flags = outlier_flags(rows, options_, limits_, input_.threads);
      count += std::count(flags.begin(), flags.end(), std::uint8_t{1});
    });
    facts.outliers = {options_, limits_.mean, limits_.deviation, limits_.threshold, count};
  }

 private:
  const ProductInput& input_;
  const OutlierOptions options_;
  const OutlierLimits limits_;
};

/// --features lof, after a look at the rows of all points.
class Factors final : public Product {
 public:
  explicit Factors(const ProductInput& input)
      : charge_(input.memory, LocalOutlierFactors::k_bytes_per_point * static_cast<double>(input.found.query_count())),
        factors_(input.found.rows(), input.threads),
        threads_(input.threads) {}

  std::vector<ProductColumn> columns() const override { return {{{"lof", Array<double>(), Meaning::found}}}; }
  std::vector<Attribute> make(const flow::FoundBlock& block) override {
    return {{"lof", factors_.of(block.rows, threads_), Meaning::found}};
  }

 private:
  const base::MemoryCharge charge_;
  const LocalOutlierFactors factors_;
  const int threads_;
};

}  // namespace

std::unique_ptr<Product> make_outliers(const ProductInput& input) { return std::make_unique<Outliers>(input); }

std::unique_ptr<Product> make_local_outlier_factors(const ProductInput& input) {
  return std::make_unique<Factors>(input);
}

}  // namespace kann::cli
