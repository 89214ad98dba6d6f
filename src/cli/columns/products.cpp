// The table of products.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "kann/outliers.hpp"

#include "cli/columns/product.hpp"

namespace kann::cli {
namespace {

/// The first neighbour's id or distance of each row, or the value that stands for a missing one.
template <class T>
AttributeValues first_of_rows(const Rows& rows, std::span<const T> values, T none) {
  Array<T> out(static_cast<std::size_t>(rows.count));
  for (std::int64_t row = 0; row < rows.count; ++row) {
    const auto [begin, end] = rows.row(row);
    out[static_cast<std::size_t>(row)] = begin < end ? values[begin] : none;
  }
  return out;
}

bool is_feature(const Options& o, std::string_view name) { return std::ranges::count(o.features, name) > 0; }

/// Where the columns of each product are written.
ProductPlace in_clouds(const Options& o, std::string_view) { return {!o.cluster, false}; }
ProductPlace if_feature(const Options& o, std::string_view name) {
  return {is_feature(o, name), is_feature(o, name), !o.cluster && names_column(o, name)};
}

/// Clouds have it anyhow, unless of one neighbour it says what nn_distance says.
ProductPlace always_if_many(const Options& o, std::string_view name) {
  return {(!o.cluster && !o.has_one_neighbor()) || is_feature(o, name), is_feature(o, name)};
}
ProductPlace if_any(bool is_asked) { return {is_asked, is_asked}; }

constexpr float k_no_distance = std::numeric_limits<float>::infinity();

constexpr ProductKind k_kinds[] = {
    {"nn_id", in_clouds,
     [](const ProductInput&, const Rows& rows) {
       return std::visit([&]<class Id>(std::span<const Id> ids) { return first_of_rows(rows, ids, Id{k_missing_id}); },
                         rows.ids);
     }},
    {"nn_distance", in_clouds,
     [](const ProductInput&, const Rows& rows) { return first_of_rows(rows, rows.distances, k_no_distance); }},
    {"mean_distance", always_if_many,
     [](const ProductInput& in, const Rows& rows) -> AttributeValues { return mean_distances(rows, 0, in.threads); }},
    {"density", always_if_many,
     [](const ProductInput& in, const Rows& rows) -> AttributeValues {
       const int dimensions = in.found.described_queries().points.dimensions;
       return densities(rows, in.options.density_ball(dimensions), in.threads);
     }},
    {"median_distance", if_feature,
     [](const ProductInput& in, const Rows& rows) -> AttributeValues { return median_distances(rows, in.threads); }},
    {"neighbours", if_feature,
     [](const ProductInput& in, const Rows& rows) -> AttributeValues { return neighbor_counts(rows, in.threads); }},
    {"lof", [](const Options& o, std::string_view name) { return if_any(is_feature(o, name)); }, nullptr,
     make_local_outlier_factors},
    {"outlier", [](const Options& o, std::string_view) { return if_any(o.outliers.has_value()); }, nullptr,
     make_outliers},
    {"shapes", [](const Options& o, std::string_view) { return if_any(!shapes_of(o).empty()); }, nullptr, make_shapes},
    {"transfer", [](const Options& o, std::string_view) { return if_any(!o.transfer.empty()); }, nullptr,
     make_transfer},
    {"cluster", [](const Options& o, std::string_view) { return if_any(o.cluster.has_value()); },
     [](const ProductInput& in, const Rows& rows) { return in.labels->of(rows.first, rows.count); }},
};

/// The column of a product that reads rows alone.
class RowColumn final : public Product {
 public:
  RowColumn(const ProductKind& kind, const ProductInput& input) : kind_(kind), input_(input) {}

  std::vector<ProductColumn> columns() const override {
    Rows none;
    if (input_.found.rows().has_wide_ids) none.ids = std::span<const std::int64_t>();
    return {{{std::string(kind_.name), kind_.of_rows(input_, none), Meaning::found}}};
  }
  std::vector<Attribute> make(const flow::FoundBlock& block) override {
    return {{std::string(kind_.name), kind_.of_rows(input_, block.rows), Meaning::found}};
  }

 private:
  const ProductKind& kind_;
  const ProductInput& input_;
};

}  // namespace

std::span<const ProductKind> product_kinds() { return k_kinds; }

std::unique_ptr<Product> make_product(const ProductKind& kind, const ProductInput& input) {
  return kind.make ? kind.make(input) : std::make_unique<RowColumn>(kind, input);
}

}  // namespace kann::cli
