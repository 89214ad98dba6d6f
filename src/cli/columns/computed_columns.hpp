// The columns of all products of a job.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/io.hpp"

#include "cli/columns/product.hpp"
#include "flow/rows/column_store.hpp"

namespace kann::cli {

/// Makes what the options ask for. Values of products that read points are made once, and kept; others are made of the
/// rows wherever they are needed.
class ComputedColumns {
 public:
  struct Column : ProductColumn {
    ProductPlace place;
    std::size_t product;  ///< its number
    std::size_t number;   ///< among the columns of that product

    const std::string& name() const { return like.name; }
  };

  /// Blocks. What `input` refers to must outlive this object.
  /// @param folder where a temporary file goes; none: the values stay in memory
  /// @throws Error as the products, and as flow::Found::for_each().
  ComputedColumns(const ProductInput& input, const std::optional<std::string>& folder);
  ComputedColumns(const ComputedColumns&) = delete;
  ComputedColumns& operator=(const ComputedColumns&) = delete;

  const std::vector<Column>& all() const { return columns_; }
  const Column* find(std::string_view name) const;  ///< null: there is none of that name
  const ColumnFacts& facts() const { return facts_; }

  /// The values of a column in a block. @throws Error resources, and as its product.
  Attribute values(const flow::FoundBlock& block, const Column& column) const;

  /// Per row of a block with its queries, whether it meets --keep: 1, or 0; empty: there is no condition.
  std::vector<std::uint8_t> kept_rows(const flow::FoundBlock& block) const;

  /// The columns that a cloud or a table has, in their types there: in clouds, means of whole numbers are rounded, but
  /// for colours of LAS, which are scaled to 16 bits.
  std::vector<Attribute> written(const flow::FoundBlock& block) const;
  std::vector<std::string> written_names() const;
  std::vector<std::uint8_t> written_from_data() const;  ///< whether each of them is transferred: 1, or 0

  /// One of them, or what a table or an npz has of it.
  Attribute written_values(const flow::FoundBlock& block, const Column& column) const;

  /// The additional arrays of an npz: transferred attributes, as attr_NAME, are float64 unless their type is kept. They
  /// refer to this object.
  std::vector<ColumnBlocks> of_npz() const;

 private:
  bool is_written(const Column& column) const {
    return input_.options.cloud_format ? column.place.clouds : column.place.arrays;
  }
  void keep_values();
  const Attribute* kept_values(std::int64_t block, const Column& column) const;  // null: they are made wherever needed

  const ProductInput input_;
  std::vector<std::unique_ptr<Product>> products_;
  std::vector<Column> columns_;
  std::vector<std::size_t> kept_at_;  ///< per product, the place of its first column among those that are kept
  flow::ColumnStore store_;
  ColumnFacts facts_;
};

/// The warnings about these facts.
std::vector<std::string> warnings_of(const Options& options, const ColumnFacts& facts, std::int64_t queries);

}  // namespace kann::cli
