#include "papers/matvec/measure_matvec.hpp"

#include <fmt/format.h>
#include <optional>

#include "common/table.hpp"
#include "papers/arrays.hpp"
#include "papers/device_timing.hpp"
#include "papers/linear_texture.hpp"
#include "papers/matvec/matvec.hpp"
#include "papers/matvec/matvec_reference.hpp"
#include "papers/published.hpp"

namespace kann::bench {
namespace {

constexpr int k_batch = 20;  // calls between two events
// The paper does not say how large the matrix of Table 6 is. 3840 is the size of its Table 1; 4096 fits 558 µs, too:
// 120 of the 142 GB/s of a GTX 280.
constexpr int k_sizes[] = {3840, 4096};

class MatvecCase {
 public:
  MatvecCase(int n, std::uint64_t seed)
      : n_(n),
        pool_(stream_),
        host_matrix_(random_small_integers(static_cast<std::size_t>(n) * n, seed)),
        host_vector_(random_small_integers(static_cast<std::size_t>(n), seed + 1)),
        host_result_(product_on_host(host_matrix_, host_vector_)),
        matrix_(uploaded(pool_, host_matrix_, stream_)),
        vector_(uploaded(pool_, host_vector_, stream_)),
        result_(pool_, n),
        texture_(vector_) {}

  const cuda::Stream& stream() const { return stream_; }
  MatvecArrays arrays() const { return {matrix_.data(), vector_.data(), texture_, result_.data(), n_}; }

  /// Runs launch() once; whether each element is the host's.
  template <class F>
  bool is_right(F&& launch) {
    wipe(result_, stream_);
    launch();
    return downloaded(result_, stream_) == host_result_;
  }

 private:
  int n_;
  cuda::Stream stream_;
  cuda::Pool pool_;
  std::vector<float> host_matrix_, host_vector_, host_result_;
  cuda::Buffer<float> matrix_, vector_, result_;
  LinearTexture<float> texture_;
};

/// Calls visit(name, launch, published µs) for every version and for cuBLAS.
template <class Visit>
void for_each_way(const MatvecCase& product, Visit&& visit) {
  const std::vector<MatvecWay> ways = matvec_ways();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::optional<double> published_us;
    if (i == 0) published_us = k_matvec_table_6.first_us;
    if (i == k_all_optimisations) published_us = k_matvec_table_6.last_us;
    visit(
        ways[i].name, [&] { ways[i].launch(product.arrays(), product.stream()); }, published_us);
  }
  if (const auto vendor = make_vendor_matvec(product.stream()))
    visit(
        std::string("cuBLAS gemv"), [&] { vendor->launch(product.arrays()); }, std::optional<double>());
}

template <class F>
void check_way(MatvecCase& product, const std::string& name, F&& launch, Report& report) {
  report.check(fmt::format("matrix × vector, n = {}, {}: each element is the host's", product.arrays().n, name),
               product.is_right(launch));
}

void measure_size(const Program& program, int n, Report& report) {
  MatvecCase product(n, program.seed);
  const double bytes = 4.0 * n * (n + 2.0);
  const Table table(report.text(), fmt::format("Table 6, matrix × vector, n = {}, µs; published: GTX 280", n), 38,
                    {"version", "best", "median", "TB/s", "published"});
  for_each_way(product, [&](const std::string& name, const auto& launch, std::optional<double> published_us) {
    check_way(product, name, launch, report);
    const Spread spread = time_on_device(product.stream(), program.repeat, k_batch, launch);
    table.row({name, number_text(spread.best * 1e6, 1), number_text(spread.median * 1e6, 1),
               number_text(bytes / spread.best * 1e-12, 2), number_text(published_us, 1)});
    Json record = {{"what", name}, {"n", n}, {"ms", ms_json(spread)}, {"tb_per_s", bytes / spread.best * 1e-12}};
    record["published_ms"] = published_us ? Json(*published_us * 1e-3) : Json(nullptr);
    report.add(std::move(record));
  });
}

}  // namespace

void check_matvec(const Program& program, Report& report) {
  if (!make_vendor_matvec(nullptr)) report.skip("cuBLAS", "the build found none");
  for (const int n : {1, 2, 31, 32, 33, 511, 512, 513, 1000, 1337}) {
    MatvecCase product(n, program.seed + static_cast<std::uint64_t>(n));
    for_each_way(product, [&](const std::string& name, const auto& launch, std::optional<double>) {
      check_way(product, name, launch, report);
    });
  }
}

void measure_matvec(const Program& program, Report& report) {
  for (const int n : k_sizes) measure_size(program, n, report);
}

}  // namespace kann::bench
