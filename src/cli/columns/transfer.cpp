// --transfer: attributes of the data at the queries.
#include "kann/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "cli/asked/wanted_attributes.hpp"
#include "cli/columns/product.hpp"
#include "formats/table/meanings.hpp"
#include "formats/table/value_range.hpp"

namespace kann::cli {
namespace {

/// An attribute of the data that is transferred to the queries.
struct Transferred {
  TransferMethod method;  ///< the method of --by, unless transfer_method() chose another
  TransferMethod asked;   ///< the method of --by
  TransferSource from;    ///< the attribute of the data

  const std::string& name() const { return from.attribute->name; }
  bool is_voted() const { return method == TransferMethod::vote; }
  bool is_interpolated() const { return method == TransferMethod::rbf; }

  /// Whether the values keep their type where others become float64, which does not hold all numbers of 64 bits.
  bool keeps_type() const {
    const AttributeValues& values = from.attribute->values;
    return is_voted() || (method == TransferMethod::nearest && (std::holds_alternative<Array<std::int64_t>>(values) ||
                                                                std::holds_alternative<Array<std::uint64_t>>(values)));
  }
};

/// Whether a cloud rounds values, if they are means.
bool are_rounded(const AttributeValues& values) {
  const auto* const means = std::get_if<Array<double>>(&values);
  return means && std::ranges::any_of(*means, [](double value) { return std::abs(std::fmod(value, 1)) > 0; });
}

/// How many of the values lie below or above the range by more than its width.
std::int64_t values_beyond(const formats::ValueRange& range, const Attribute& made) {
  const double width = range.most - range.least, least = range.least - width, most = range.most + width;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < made.size(); ++i) count += made.at(i) < least || made.at(i) > most;
  return count;
}

/// None, of the same type.
AttributeValues without_values(const AttributeValues& values) {
  return std::visit([](const auto& typed) { return AttributeValues(std::decay_t<decltype(typed)>()); }, values);
}

class TransferProduct final : public Product {
 public:
  explicit TransferProduct(const ProductInput& input) : input_(input) {
    const Options& options = input.options;
    for (const TransferSource& from : transferred_attributes(options, input.found.described_data())) {
      const auto [asked, is_for_others] = asked_method(options.transfer_by, options.transfer[from.name], from.name);
      all_.push_back({is_for_others ? transfer_method(*from.attribute, asked) : asked, asked, from});
    }
  }

  bool reads_points() const override { return true; }

  std::vector<ProductColumn> columns() const override {
    std::vector<ProductColumn> columns;
    for (const Transferred& t : all_) {
      const bool has_own_type = t.is_voted() || t.method == TransferMethod::nearest;
      columns.push_back({t.from.attribute->with(has_own_type ? without_values(t.from.attribute->values)
                                                             : AttributeValues(Array<double>())),
                         t.from.attribute, t.from.name, t.keeps_type()});
    }
    return columns;
  }

  /// Transfers adjacent attributes with the same method in one run: rbf solves one system for all of a run.
  std::vector<Attribute> make(const flow::FoundBlock& block) override {
    std::vector<Attribute> columns;
    std::int64_t without_neighbors = 0, singular = 0, by_distance = 0;
    for (std::size_t begin = 0, end = 0; begin < all_.size(); begin = end) {
      for (end = begin + 1; end < all_.size() && all_[end].method == all_[begin].method; ++end)
        if (all_[end].from.attribute != all_[end - 1].from.attribute + 1) break;
      const auto attributes = std::span(block.data.attributes).subspan(place_of(all_[begin]), end - begin);
      TransferResult result = transfer(block.data.points, block.queries.points, block.neighbors, attributes,
                                       {.method = all_[begin].method,
                                        .rbf = input_.options.rbf.value_or(RbfOptions()),
                                        .periodic = input_.options.search.periodic,
                                        .images = input_.options.search.images,
                                        .device = input_.options.search.device,
                                        .threads = input_.threads});
      std::ranges::move(result.attributes, std::back_inserter(columns));
      without_neighbors = result.without_neighbors;
      singular = std::max(singular, result.singular);
      by_distance = std::max(by_distance, result.by_distance);
      nan_values_ += result.nan_values;
    }
    without_neighbors_ += without_neighbors;
    singular_ += singular;
    by_distance_ += by_distance;
    return columns;
  }

  void finish(ColumnFacts& facts, const std::function<void(const Values&)>& for_each_block) override {
    facts.without_neighbors = without_neighbors_;
    facts.singular = singular_;
    facts.by_distance = by_distance_;
    facts.nan_values = nan_values_;
    count_beyond(facts, for_each_block);
    const Options& options = input_.options;
    std::vector<bool> are_any_rounded(all_.size());
    const bool may_round = options.cloud_format && options.cloud_format != CloudFormat::csv;
    if (may_round)
      for_each_block([&](std::span<const Attribute> made) {
        for (std::size_t i = 0; i < all_.size(); ++i)
          if (!are_any_rounded[i]) are_any_rounded[i] = are_rounded(made[i].values);
      });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Transferred& t = all_[i];
      const Attribute& from = *t.from.attribute;
      facts.transferred.push_back({t.name(), t.method});
      if (t.is_voted() && t.asked != t.method)
        facts.voted_instead.push_back({t.name(), options.transfer[t.from.name], t.asked, from.texts != nullptr});
      // Nobody expects fractions of a colour
      if (are_any_rounded[i] && from.is_whole() && !formats::is_colour(from.meaning)) facts.rounded.push_back(t.name());
    }
  }

 private:
  std::size_t place_of(const Transferred& t) const {
    return static_cast<std::size_t>(t.from.attribute - input_.found.described_data().attributes.data());
  }

  /// Interpolated values that are far outside of those of the data hint at a kernel that does not suit them.
  void count_beyond(ColumnFacts& facts, const std::function<void(const Values&)>& for_each_block) {
    if (std::ranges::none_of(all_, &Transferred::is_interpolated)) return;
    std::vector<formats::ValueRange> ranges(all_.size());
    input_.found.for_each_of_data([&](const Cloud& data) {
      for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].is_interpolated()) ranges[i].add(data.attributes[place_of(all_[i])]);
    });
    std::vector<std::int64_t> beyond(all_.size());
    for_each_block([&](std::span<const Attribute> made) {
      for (std::size_t i = 0; i < all_.size(); ++i)
        if (all_[i].is_interpolated()) beyond[i] += values_beyond(ranges[i], made[i]);
    });
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (beyond[i] > 0) facts.beyond.push_back({all_[i].name(), beyond[i]});
  }

  const ProductInput& input_;
  std::vector<Transferred> all_;
  std::int64_t without_neighbors_ = 0, singular_ = 0, by_distance_ = 0, nan_values_ = 0;  // as in TransferResult
};

}  // namespace

std::unique_ptr<Product> make_transfer(const ProductInput& input) { return std::make_unique<TransferProduct>(input); }

}  // namespace kann::cli
