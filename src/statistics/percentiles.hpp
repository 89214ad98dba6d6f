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

/// Counts and sums of the tables that each_table() gives, as one. The sums are of 4,096 rows each, added in their
/// order: the same on any number of threads, and wherever a table ends.
template <class EachTable>
std::vector<Column> sum_columns(std::size_t columns, EachTable&& each_table, int threads) {
  constexpr std::int64_t grain = 4096;
  std::vector<Column> sums(columns), open(columns);  // open: of a part whose last rows are to come
  std::int64_t done = 0;                             // rows
  const auto add = [&](const Column* part) {
    for (std::size_t c = 0; c < columns; ++c) {
      sums[c].count += part[c].count;
      sums[c].sum += part[c].sum;
    }
  };
  each_table([&](const auto& table) {
    if (table.rows == 0) return;
    const std::int64_t end = done + table.rows, first = done / grain, chunks = (end + grain - 1) / grain - first;
    std::vector<Column> parts(static_cast<std::size_t>(chunks) * columns);
    std::ranges::copy(open, parts.begin());
    base::parallel_chunks(chunks, 1, threads, [&](std::int64_t chunk, std::int64_t) {
      Column* const part = &parts[static_cast<std::size_t>(chunk) * columns];
      const std::int64_t begin = (first + chunk) * grain;
      table.each(std::max(begin, done) - done, std::min(begin + grain, end) - done, [&](std::size_t c, float value) {
        ++part[c].count;
        part[c].sum += value;
      });
    });
    const std::int64_t whole = end / grain - first;
    for (std::int64_t chunk = 0; chunk < whole; ++chunk) add(&parts[static_cast<std::size_t>(chunk) * columns]);
    std::ranges::fill(open, Column());
    if (whole < chunks) std::copy_n(&parts[static_cast<std::size_t>(whole) * columns], columns, open.begin());
    done = end;
  });
  add(open.data());
  return sums;
}

using Selection = std::array<Selected, k_percents.size()>;

/// How often each value of `digit` occurs, of each column and percentile: among the numbers that have its bits.
template <class EachTable>
std::vector<DigitCounts> count_digit(std::size_t columns, EachTable&& each_table, const Digit& digit,
                                     const std::vector<Selection>& selections, int threads) {
  constexpr std::size_t percentiles = k_percents.size();
  const bool is_first = digit.above(~0u) == 0;  // then all numbers count for all
  std::vector<std::vector<DigitCounts>> parts(static_cast<std::size_t>(threads));
  each_table([&](const auto& table) {
    base::parallel_blocks(table.rows, threads, [&](int block, std::int64_t begin, std::int64_t end) {
      std::vector<DigitCounts>& counts = parts[static_cast<std::size_t>(block)];
      counts.resize(columns * percentiles);
      if (is_first)
        table.each(begin, end, [&](std::size_t c, float value) {
          ++counts[c * percentiles][digit.of(std::bit_cast<std::uint32_t>(value))];
        });
      else
        table.each(begin, end, [&](std::size_t c, float value) {
          const auto bits = std::bit_cast<std::uint32_t>(value);
          for (std::size_t i = 0; i < percentiles; ++i)
            if (digit.above(bits) == digit.above(selections[c][i].bits)) ++counts[c * percentiles + i][digit.of(bits)];
        });
    });
  });
  std::vector<DigitCounts> all = std::move(parts[0]);
  all.resize(columns * percentiles);
  for (std::size_t p = 1; p < parts.size(); ++p)
    for (std::size_t i = 0; i < parts[p].size(); ++i)
      for (std::size_t value = 0; value < all[i].size(); ++value) all[i][value] += parts[p][i][value];
  for (std::size_t i = 0; i < all.size() && is_first; ++i) all[i] = all[i / percentiles * percentiles];
  return all;
}

/// `each_table` calls what it is given with tables of so many columns, whose rows follow on one another; it is called
/// four times. Blocks. 80 KiB per column and thread.
template <class EachTable>
std::vector<Column> summarise_columns(std::size_t columns, EachTable&& each_table, int threads) {
  std::vector<Column> out = sum_columns(columns, each_table, threads);
  std::vector<Selection> selections(columns);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t i = 0; i < k_percents.size(); ++i)
      selections[c][i].place = nearest_rank(out[c].count, k_percents[i]);
  for (const Digit digit : {Digit{21, 11}, Digit{10, 11}, Digit{0, 10}}) {
    const std::vector<DigitCounts> counts = count_digit(columns, each_table, digit, selections, threads);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = 0; i < k_percents.size() && out[c].count > 0; ++i)
        selections[c][i].add_digit(digit, counts[c * k_percents.size() + i]);
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
