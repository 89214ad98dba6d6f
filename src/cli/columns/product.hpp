// What is made of the rows that a search has found: each product gives columns, with a value per query.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

#include "cli/columns/cluster_labels.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "flow/rows/found.hpp"

namespace kann::cli {

/// What products are made of; all of it stays as long as they do.
struct ProductInput {
  const Options& options;
  const flow::Found& found;
  const ClusterLabels* labels;  ///< of clusters; null: there are none
  int threads;
  base::MemoryBudget* memory;  ///< is charged with what products hold; may be null
};

/// A column of a product.
struct ProductColumn {
  Attribute like;                   ///< name, type and meaning, without values
  const Attribute* from = nullptr;  ///< the attribute of the data that is transferred; null: another product
  std::size_t asked = 0;            ///< of such a one, the place in --transfer of the name that asks for it
  bool keeps_type = true;           ///< whether an npz has the type, too; else it has float64
};

class Product {
 public:
  virtual ~Product() = default;

  /// The columns, before any row has been looked at.
  virtual std::vector<ProductColumn> columns() const = 0;

  /// Whether make() reads points, which takes long: it is then called once for each block, and its values are kept.
  virtual bool reads_points() const { return false; }

  /// The values of the columns in a block. Blocks. @throws Error as the function of the library that makes them.
  virtual std::vector<Attribute> make(const flow::FoundBlock& block) = 0;

  using Values = std::function<void(std::span<const Attribute>)>;

  /// Adds what is known after the last block to the facts. The function passes the values that were kept.
  virtual void finish(ColumnFacts&, const std::function<void(const Values&)>&) {}
};

/// Where the columns of a product go.
struct ProductPlace {
  bool clouds = false, arrays = false;  ///< whether they are written in clouds of the queries, in an npz or a table
  bool is_named = false;                ///< whether they are only named by --keep or --picture-by
};

/// A line of the one table of products.
struct ProductKind {
  std::string_view name;  ///< of --features, --picture-by; that of the only column, if there is one
  ProductPlace (*place)(const Options& options, std::string_view name);
  AttributeValues (*of_rows)(const ProductInput& input,
                             const Rows& rows);  ///< the column that rows alone give; or null
  std::unique_ptr<Product> (*make)(const ProductInput& input) = nullptr;
};

/// All that there are, in the order in which results have them.
std::span<const ProductKind> product_kinds();

/// @param input must outlive the product
std::unique_ptr<Product> make_product(const ProductKind& kind, const ProductInput& input);

std::unique_ptr<Product> make_transfer(const ProductInput& input);
std::unique_ptr<Product> make_shapes(const ProductInput& input);
std::unique_ptr<Product> make_outliers(const ProductInput& input);
std::unique_ptr<Product> make_local_outlier_factors(const ProductInput& input);

}  // namespace kann::cli
