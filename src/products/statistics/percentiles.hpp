// Sums and percentiles of float32 numbers that are neither sorted nor copied, by counting. Counts can be added, so the
// rows may come in blocks and on several threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/threads/parallel.hpp"
#include "products/statistics/exact_sum.hpp"

namespace kann::statistics {

/// Counts that several threads make, each for itself.
class ThreadCounts {
 public:
  /// Each thread has `size` counts, which are 0 at first.
  ThreadCounts(std::size_t size, int threads) : size_(size), parts_(static_cast<std::size_t>(threads)) {}

  /// Calls f(counts, begin, end) on several threads, each with its own counts, for consecutive parts of [0, rows).
  template <class F>
  void add(std::int64_t rows, F&& f) {
    base::parallel_blocks(rows, static_cast<int>(parts_.size()), [&](int part, std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t>& counts = parts_[static_cast<std::size_t>(part)];
      counts.resize(size_);
      f(std::span<std::int64_t>(counts), begin, end);
    });
  }

  /// The sums over all threads. Nothing may be counted afterwards.
  std::vector<std::int64_t> total() {
    std::vector<std::int64_t> all = std::move(parts_[0]);
    all.resize(size_);
    for (std::size_t part = 1; part < parts_.size(); ++part)
      for (std::size_t i = 0; i < parts_[part].size(); ++i) all[i] += parts_[part][i];
    return all;
  }

 private:
  std::size_t size_;
  std::vector<std::vector<std::int64_t>> parts_;  // the counts of each thread
};

inline constexpr std::array k_percents{5, 50, 95, 99, 100};  // the last is the maximum

/// The statistics of the numbers in one column.
struct Column {
  std::int64_t count = 0;
  double sum = 0;
  double square_sum = 0;                               ///< sum of the squared differences from center()
  std::array<float, k_percents.size()> percentiles{};  ///< by nearest rank; meaningless if there are no numbers

  double mean() const { return sum / static_cast<double>(count); }
  /// The mean as a float32, so that equal numbers have no difference from it.
  float center() const { return static_cast<float>(mean()); }
};

/// The place, from 0 and in ascending order, of the smallest of `count` numbers that `percent` per cent of them do not
/// exceed.
inline std::int64_t nearest_rank(std::int64_t count, int percent) {
  return std::max<std::int64_t>(1, (count * percent + 99) / 100) - 1;
}

/// A digit: some adjacent bits of a float. Read as integers, the bits of floats that are not negative are in the order
/// of the numbers.
struct Digit {
  int shift, width;

  std::uint32_t of(std::uint32_t bits) const { return bits >> shift & ((1u << width) - 1); }
  /// The bits above the digit.
  std::uint32_t above(std::uint32_t bits) const { return shift + width == 32 ? 0 : bits >> (shift + width); }
};

/// How often each value of a digit occurs: 2,048 numbers.
using DigitCounts = std::span<const std::int64_t>;
inline constexpr std::size_t k_digit_values = 2048;

/// A percentile that is being found digit by digit, from the highest digit on (radix select).
struct Selected {
  std::uint32_t bits = 0;  ///< the digits that are known
  std::int64_t place = 0;  ///< its place, from 0, among the numbers that have these digits

  void add_digit(const Digit& digit, DigitCounts counts) {
    std::uint32_t value = 0;
    for (; place >= counts[value]; ++value) place -= counts[value];
    bits |= value << digit.shift;
  }
};

/// A table of `rows` × `columns` numbers: value_of(row, column) is a float32 that is not negative, or NaN if there is
/// none. It is called by several threads.
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

using Selection = std::array<Selected, k_percents.size()>;

/// The first pass: how many numbers each column has, their sum, and the first digit of its percentiles.
class FirstPass {
 public:
  FirstPass(std::size_t columns, int threads) : columns_(columns), counts_(columns * k_size, threads) {}

  template <class Table>
  void add(const Table& table) {
    counts_.add(table.rows, [&](std::span<std::int64_t> counts, std::int64_t begin, std::int64_t end) {
      table.each(begin, end, [&](std::size_t c, float value) {
        const std::span<std::int64_t> column = counts.subspan(c * k_size, k_size);
        ++column[k_digit.of(std::bit_cast<std::uint32_t>(value))];
        add_exactly(value, column.subspan(k_digit_values));
      });
    });
  }

  std::vector<Column> select(std::vector<Selection>& selections) {
    const std::vector<std::int64_t> all = counts_.total();
    std::vector<Column> columns(columns_);
    for (std::size_t c = 0; c < columns_; ++c) {
      const auto column = std::span(all).subspan(c * k_size, k_size);
      const DigitCounts digits = column.first(k_digit_values);
      columns[c].count = std::accumulate(digits.begin(), digits.end(), std::int64_t{0});
      if (columns[c].count == 0) continue;
      columns[c].sum = rounded_sum(column.subspan(k_digit_values));
      for (std::size_t i = 0; i < k_percents.size(); ++i) {
        selections[c][i].place = nearest_rank(columns[c].count, k_percents[i]);
        selections[c][i].add_digit(k_digit, digits);
      }
    }
    return columns;
  }

 private:
  static constexpr Digit k_digit{21, 11};
  static constexpr std::size_t k_size = k_digit_values + k_exponents;  // counts per column

  std::size_t columns_;
  ThreadCounts counts_;
};

/// The second pass: the sums of squares.
class SquarePass {
 public:
  /// `columns` come from the first pass, and must outlive this object.
  SquarePass(const std::vector<Column>& columns, int threads)
      : columns_(columns), sums_(columns.size() * k_square_sums, threads) {}

  template <class Table>
  void add(const Table& table) {
    sums_.add(table.rows, [&](std::span<std::int64_t> sums, std::int64_t begin, std::int64_t end) {
      table.each(begin, end, [&](std::size_t c, float value) {
        const float difference = std::abs(value - columns_[c].center());
        if (!std::isnan(difference)) add_square_exactly(difference, sums.subspan(c * k_square_sums, k_square_sums));
      });
    });
  }

  void set(std::vector<Column>& columns) {
    const std::vector<std::int64_t> all = sums_.total();
    for (std::size_t c = 0; c < columns.size(); ++c)
      columns[c].square_sum = rounded_sum_of_squares(std::span(all).subspan(c * k_square_sums, k_square_sums));
  }

 private:
  const std::vector<Column>& columns_;
  ThreadCounts sums_;
};

/// A later pass: finds the next digit of each percentile from the numbers that share its known bits. `selections` must
/// outlive this object.
class NextPass {
 public:
  NextPass(const Digit& digit, const std::vector<Selection>& selections, int threads)
      : digit_(digit), selections_(selections), counts_(selections.size() * k_size, threads) {}

  template <class Table>
  void add(const Table& table) {
    counts_.add(table.rows, [&](std::span<std::int64_t> counts, std::int64_t begin, std::int64_t end) {
      table.each(begin, end, [&](std::size_t c, float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (std::size_t i = 0; i < k_percents.size(); ++i)
          if (digit_.above(bits) == digit_.above(selections_[c][i].bits))
            ++counts[c * k_size + i * k_digit_values + digit_.of(bits)];
      });
    });
  }

  /// Adds the digit to the selections of each column that has numbers.
  void select(const std::vector<Column>& columns, std::vector<Selection>& selections) {
    const std::vector<std::int64_t> all = counts_.total();
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t i = 0; i < k_percents.size() && columns[c].count > 0; ++i)
        selections[c][i].add_digit(digit_, std::span(all).subspan(c * k_size + i * k_digit_values, k_digit_values));
  }

 private:
  static constexpr std::size_t k_size = k_percents.size() * k_digit_values;  // counts per column

  Digit digit_;
  const std::vector<Selection>& selections_;
  ThreadCounts counts_;
};

/// Bytes of the counts of all passes.
inline constexpr double k_bytes_per_column =
    sizeof(std::int64_t) * ((1 + k_percents.size()) * k_digit_values + k_exponents + k_square_sums);

/// The statistics of rows that come in several tables: `each_table(f)` calls f with one table after the other, each
/// with the same number of columns; it is called three times. Blocks. Takes k_bytes_per_column for each column and
/// thread.
template <class EachTable>
std::vector<Column> summarise_columns(std::size_t columns, EachTable&& each_table, int threads) {
  std::vector<Selection> selections(columns);
  FirstPass first(columns, threads);
  each_table([&](const auto& table) { first.add(table); });
  std::vector<Column> out = first.select(selections);
  const std::vector<Column> of_first = out;
  SquarePass squares(of_first, threads);
  for (const Digit digit : {Digit{10, 11}, Digit{0, 10}}) {
    const bool is_second = digit.shift == 10;
    NextPass next(digit, selections, threads);
    each_table([&](const auto& table) {
      next.add(table);
      if (is_second) squares.add(table);
    });
    next.select(out, selections);
    if (is_second) squares.set(out);
  }
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t i = 0; i < k_percents.size(); ++i)
      out[c].percentiles[i] = std::bit_cast<float>(selections[c][i].bits);
  return out;
}

}  // namespace kann::statistics
