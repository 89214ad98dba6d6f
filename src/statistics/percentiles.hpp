// Percentiles of float32 numbers that are neither sorted nor copied.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace kann::statistics {

inline constexpr std::array k_percents{5, 50, 95, 99, 100};  // the last is the maximum

/// Of the numbers of one column.
struct Column {
  std::int64_t count = 0;
  double sum = 0;
  std::array<float, k_percents.size()> percentiles{};  ///< by nearest rank; meaningless without numbers
};

/// The place, from 0, of the smallest of `count` numbers that `percent` of them do not exceed.
inline std::int64_t nearest_rank(std::int64_t count, int percent) {
  return std::max<std::int64_t>(1, (count * percent + 99) / 100) - 1;
}

/// Some bits of a float. The bits of floats that are not negative are in the order of the numbers.
struct Digit {
  int shift, width;

  std::uint32_t of(std::uint32_t bits) const { return bits >> shift & ((1u << width) - 1); }
  /// The bits above the digit.
  std::uint32_t above(std::uint32_t bits) const { return shift + width == 32 ? 0 : bits >> (shift + width); }
};

/// How often each value of a digit occurs.
using DigitCounts = std::array<std::int64_t, 2048>;

/// A percentile, found digit by digit, from the highest on (radix select).
struct Selected {
  std::uint32_t bits = 0;  ///< of the digits that are known
  std::int64_t place = 0;  ///< among the numbers that have them, from 0

  void add_digit(const Digit& digit, const DigitCounts& counts) {
    std::uint32_t value = 0;
    for (; place >= counts[value]; ++value) place -= counts[value];
    bits |= value << digit.shift;
  }
};

/// `rows` × `columns` numbers: value_of(row, column) is a float32 that is not negative, or NaN for none. It is called
/// from several threads.
template <class ValueOf>
struct Table {
  std::int64_t rows;
  std::size_t columns;
  const ValueOf& value_of;

  /// Calls f(column, number) for the numbers of some rows.
  template <class F>
  void each(std::int64_t begin, std::int64_t end, F&& f) const {
    for (std::int64_t row = begin; row < end; ++row)
      for (std::size_t c = 0; c < columns; ++c)
        if (const float value = value_of(row, c); !std::isnan(value)) f(c, value);
  }
};

/// Counts and sums of the tables that are added, as one. The sums are of 4,096 rows each, added in their order: the
/// same on any number of threads, and wherever a table ends.
class ColumnSums {
 public:
  ColumnSums(std::size_t columns, int threads) : threads_(threads), sums_(columns), open_(columns) {}

  template <class Table>
  void add(const Table& table) {
    if (table.rows == 0) return;
    const std::size_t columns = sums_.size();
    const std::int64_t end = done_ + table.rows, first = done_ / k_grain,
                       chunks = (end + k_grain - 1) / k_grain - first;
    std::vector<Column> parts(static_cast<std::size_t>(chunks) * columns);
    std::ranges::copy(open_, parts.begin());
    base::parallel_chunks(chunks, 1, threads_, [&](std::int64_t chunk, std::int64_t) {
      Column* const part = &parts[static_cast<std::size_t>(chunk) * columns];
      const std::int64_t begin = (first + chunk) * k_grain;
      const std::int64_t from = std::max(begin, done_) - done_, to = std::min(begin + k_grain, end) - done_;
      table.each(from, to, [&](std::size_t c, float value) {
        ++part[c].count;
        part[c].sum += value;
      });
    });
    const std::int64_t whole = end / k_grain - first;
    for (std::int64_t chunk = 0; chunk < whole; ++chunk) add_part(&parts[static_cast<std::size_t>(chunk) * columns]);
    std::ranges::fill(open_, Column());
    if (whole < chunks) std::copy_n(&parts[static_cast<std::size_t>(whole) * columns], columns, open_.begin());
    done_ = end;
  }

  /// Nothing is added afterwards.
  std::vector<Column> take() {
    add_part(open_.data());
    return std::move(sums_);
  }

 private:
  static constexpr std::int64_t k_grain = 4096;

  void add_part(const Column* part) {
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      sums_[c].count += part[c].count;
      sums_[c].sum += part[c].sum;
    }
  }

  int threads_;
  std::vector<Column> sums_, open_;  // open: of a part whose last rows are to come
  std::int64_t done_ = 0;            // rows
};

using Selection = std::array<Selected, k_percents.size()>;

/// How often each value of a digit occurs, of each column and percentile: among the numbers that have the bits that are
/// known of it. `selections` must outlive it.
class DigitCounter {
 public:
  DigitCounter(const Digit& digit, const std::vector<Selection>& selections, int threads)
      : digit_(digit), selections_(selections), parts_(static_cast<std::size_t>(threads)) {}

  template <class Table>
  void add(const Table& table) {
    base::parallel_blocks(table.rows, static_cast<int>(parts_.size()),
                          [&](int block, std::int64_t begin, std::int64_t end) {
                            std::vector<DigitCounts>& counts = parts_[static_cast<std::size_t>(block)];
                            counts.resize(table.columns * k_percentiles);
                            if (is_first())
                              table.each(begin, end, [&](std::size_t c, float value) {
                                ++counts[c * k_percentiles][digit_.of(std::bit_cast<std::uint32_t>(value))];
                              });
                            else
                              table.each(begin, end, [&](std::size_t c, float value) {
                                const auto bits = std::bit_cast<std::uint32_t>(value);
                                for (std::size_t i = 0; i < k_percentiles; ++i)
                                  if (digit_.above(bits) == digit_.above(selections_[c][i].bits))
                                    ++counts[c * k_percentiles + i][digit_.of(bits)];
                              });
                          });
  }

  /// Adds the digit to each selection of a column that has numbers.
  void select(const std::vector<Column>& columns, std::vector<Selection>& selections) {
    std::vector<DigitCounts> all = std::move(parts_[0]);
    all.resize(columns.size() * k_percentiles);
    for (std::size_t p = 1; p < parts_.size(); ++p)
      for (std::size_t i = 0; i < parts_[p].size(); ++i)
        for (std::size_t value = 0; value < all[i].size(); ++value) all[i][value] += parts_[p][i][value];
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t i = 0; i < k_percentiles && columns[c].count > 0; ++i)
        selections[c][i].add_digit(digit_, all[c * k_percentiles + (is_first() ? 0 : i)]);
  }

 private:
  static constexpr std::size_t k_percentiles = k_percents.size();

  bool is_first() const { return digit_.above(~0u) == 0; }  // then all numbers count for all

  Digit digit_;
  const std::vector<Selection>& selections_;
  std::vector<std::vector<DigitCounts>> parts_;  // of threads
};

/// `each_table` calls what it is given with tables of so many columns, whose rows follow on one another; it is called
/// three times. Blocks. 80 KiB per column and thread.
template <class EachTable>
std::vector<Column> summarise_columns(std::size_t columns, EachTable&& each_table, int threads) {
  std::vector<Selection> selections(columns);
  ColumnSums sums(columns, threads);
  DigitCounter first({21, 11}, selections, threads);
  each_table([&](const auto& table) {
    sums.add(table);
    first.add(table);
  });
  std::vector<Column> out = sums.take();
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t i = 0; i < k_percents.size(); ++i)
      selections[c][i].place = nearest_rank(out[c].count, k_percents[i]);
  first.select(out, selections);
  for (const Digit digit : {Digit{10, 11}, Digit{0, 10}}) {
    DigitCounter next(digit, selections, threads);
    each_table([&](const auto& table) { next.add(table); });
    next.select(out, selections);
  }
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t i = 0; i < k_percents.size(); ++i)
      out[c].percentiles[i] = std::bit_cast<float>(selections[c][i].bits);
  return out;
}

/// Of one table.
template <class ValueOf>
std::vector<Column> summarise_columns(const Table<ValueOf>& table, int threads) {
  return summarise_columns(
      table.columns, [&](auto&& f) { f(table); }, threads);
}

}  // namespace kann::statistics
