// The order of separate queries: sorted by leading bits or, where they are crowded, by all.
#include "cuda/order/query_order.hpp"

#include "cuda/search_context.hpp"

namespace kann {
namespace {

class QueryOrder : public test::GpuTest {};

/// The queries as the data of a problem, for the codes of the tests.
problem::Problem of_queries(const problem::Problem& p) {
  problem::Problem queries = p;
  queries.data = p.queries;
  queries.data_count = p.query_count;
  return queries;
}

/// The leading 32 bits that unshifted codes use.
std::uint64_t leading_code(const problem::Problem& p, std::size_t i, bool hilbert) {
  return hilbert ? test::hilbert_place(p, i) >> 28 : test::morton_prefix(p, i, 0, p.dimensions + 32);
}

cuda::Shift curve_of(int d, bool hilbert) { return hilbert ? cuda::hilbert_curve(d) : cuda::morton_curve(d); }

TEST_F(QueryOrder, IsThatOfLeadingBitsAndRows) {
  for (const int d : {2, 3})
    for (const std::int64_t m : {1, 2, 257, 1025})
      for (const auto& c : test::cases(100, m, d, 95)) {
        if (!c.queries) continue;
        test::UploadedCase on_device(c);
        const problem::Problem queries = of_queries(on_device.p);
        for (const bool hilbert : {false, true})
          for (const int bits : {24, 32}) {
            const auto code_of = [&](std::size_t i) { return leading_code(queries, i, hilbert) >> (32 - bits); };
            cuda::QuerySorter sorter(on_device.context, curve_of(d, hilbert));
            sorter.sort(bits);
            const auto right = test::sorted_by(m, code_of);
            if (bits == 32) {
              std::int64_t crowded = 0;
              for (std::size_t i = 8; i < right.size(); ++i) crowded += code_of(right[i]) == code_of(right[i - 8]);
              ASSERT_EQ(sorter.are_crowded(), crowded > m / 16) << c.name;
            }
            ASSERT_EQ(on_device.download(sorter.release_rows()), right) << c.name << " bits " << bits;
          }
      }
}

TEST_F(QueryOrder, PlacesQueriesOnlyWhereTheyAreCrowded) {
  for (const auto& c : test::cases(500, 500, 3, 96)) {
    if (!c.queries) continue;
    test::UploadedCase on_device(c);
    const problem::Problem queries = of_queries(on_device.p);
    const auto order = cuda::order_closely(on_device.context, cuda::hilbert_curve(3));
    if (c.name.starts_with("identical")) {
      ASSERT_NE(order.placed.data(), nullptr);
    }
    if (c.name.starts_with("uniform")) {
      ASSERT_EQ(order.placed.data(), nullptr);
    }
    ASSERT_NE(order.placed.data() == nullptr, order.rows.data() == nullptr) << c.name;
    if (order.rows.data()) {
      ASSERT_EQ(on_device.download(order.rows),
                test::sorted_by(500, [&](std::size_t i) { return leading_code(queries, i, true); }))
          << c.name;
      continue;
    }
    const auto placed = on_device.download(order.placed);
    std::vector<std::uint32_t> rows;
    for (const auto& point : placed) rows.push_back(point.index);
    ASSERT_NO_FATAL_FAILURE(test::expect_placed(queries, rows, placed)) << c.name;
    for (std::size_t i = 1; i < rows.size(); ++i)
      ASSERT_LE(test::hilbert_place(queries, rows[i - 1]), test::hilbert_place(queries, rows[i])) << c.name;
    std::ranges::sort(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i) << c.name;
  }
}

}  // namespace
}  // namespace kann
