// --features: the shape of neighbourhoods.
#include <algorithm>
#include <utility>

#include "kann/features.hpp"

#include "cli/columns/product.hpp"

namespace kann::cli {
namespace {

class Shapes final : public Product {
 public:
  explicit Shapes(const ProductInput& input) : input_(input), shapes_(shapes_of(input.options)) {}

  bool reads_points() const override { return true; }

  std::vector<ProductColumn> columns() const override {
    std::vector<ProductColumn> columns;
    for (Attribute& column : feature_columns(shapes_)) columns.push_back({std::move(column)});
    return columns;
  }

  /// A point that is not in its own row is still one of its neighbourhood, unless it is none of those that may be
  /// neighbours.
  std::vector<Attribute> make(const flow::FoundBlock& block) override {
    const Options& options = input_.options;
    const bool is_among_others = options.other_group || options.min_radius.index() > 0;
    FeatureResult result =
        features(block.data.points, block.queries.points, block.neighbors,
                 {.features = shapes_,
                  .orientation = options.orient.value_or(NormalOrientation()),
                  .with_query = options.self_query() && !options.search.include_self && !is_among_others,
                  .periodic = options.search.periodic,
                  .images = options.search.images,
                  .threads = input_.threads});
    facts_.too_few += result.too_few;
    facts_.undetermined += result.undetermined;
    return std::move(result.attributes);
  }

  void finish(ColumnFacts& facts, const std::function<void(const Values&)>&) override { facts.features = facts_; }

 private:
  const ProductInput& input_;
  const std::vector<Feature> shapes_;
  FeatureFacts facts_;
};

}  // namespace

std::unique_ptr<Product> make_shapes(const ProductInput& input) { return std::make_unique<Shapes>(input); }

}  // namespace kann::cli
