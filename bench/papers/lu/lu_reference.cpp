#include "papers/lu/lu_reference.hpp"

#include <cmath>
#include <utility>

#include "papers/random_words.hpp"

namespace kann::bench {
namespace {

constexpr int k_probes = 4;

std::size_t place(int i, int j, int n) { return static_cast<std::size_t>(j) * n + i; }

/// LUx: first the upper triangle, then the lower one with its ones.
template <class Real>
std::vector<double> times_factors(const std::vector<Real>& factors, const std::vector<double>& x, int n) {
  std::vector<double> upper(n, 0.0), product(n, 0.0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) upper[i] += static_cast<double>(factors[place(i, j, n)]) * x[j];
  for (int j = 0; j < n; ++j) {
    product[j] += upper[j];
    for (int i = j + 1; i < n; ++i) product[i] += static_cast<double>(factors[place(i, j, n)]) * upper[j];
  }
  return product;
}

template <class Real>
std::vector<double> times_matrix(const std::vector<Real>& matrix, const std::vector<double>& x, int n) {
  std::vector<double> product(n, 0.0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) product[i] += static_cast<double>(matrix[place(i, j, n)]) * x[j];
  return product;
}

}  // namespace

template <class Real>
std::vector<Real> random_matrix(int n, bool pivoting, std::uint64_t seed) {
  RandomWords words(seed);
  std::vector<Real> matrix(place(0, n, n));
  for (Real& element : matrix) element = static_cast<Real>(words.next_signed_unit());
  if (!pivoting)
    for (int i = 0; i < n; ++i) matrix[place(i, i, n)] += static_cast<Real>(n);
  return matrix;
}

template <class Real>
std::vector<std::int32_t> factor_on_host(std::vector<Real>& matrix, int n, bool pivoting) {
  const auto at = [&](int i, int j) -> Real& { return matrix[place(i, j, n)]; };
  std::vector<std::int32_t> pivots;
  for (int k = 0; k < n; ++k) {
    if (pivoting) {
      int pivot = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
      for (int j = 0; j < n && pivot != k; ++j) std::swap(at(k, j), at(pivot, j));
      pivots.push_back(pivot);
    }
    for (int i = k + 1; i < n; ++i) at(i, k) = at(i, k) / at(k, k);
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) at(i, j) = std::fma(-at(i, k), at(k, j), at(i, j));
  }
  return pivots;
}

template <class Real>
double lu_residual(const std::vector<Real>& matrix, const std::vector<Real>& factors,
                   const std::vector<std::int32_t>& pivots, int n) {
  double norm = 0, squares = 0;
  for (const Real element : matrix) norm += static_cast<double>(element) * static_cast<double>(element);
  RandomWords words(2011);
  for (int probe = 0; probe < k_probes; ++probe) {
    std::vector<double> x(n);
    for (double& value : x) value = words.next() >> 31 ? 1.0 : -1.0;
    std::vector<double> wanted = times_matrix(matrix, x, n);
    for (std::size_t k = 0; k < pivots.size(); ++k) std::swap(wanted[k], wanted[static_cast<std::size_t>(pivots[k])]);
    const std::vector<double> product = times_factors(factors, x, n);
    for (int i = 0; i < n; ++i) squares += (wanted[i] - product[i]) * (wanted[i] - product[i]);
  }
  return std::sqrt(squares / k_probes / norm);
}

template std::vector<float> random_matrix(int, bool, std::uint64_t);
template std::vector<double> random_matrix(int, bool, std::uint64_t);
template std::vector<std::int32_t> factor_on_host(std::vector<float>&, int, bool);
template std::vector<std::int32_t> factor_on_host(std::vector<double>&, int, bool);
template double lu_residual(const std::vector<float>&, const std::vector<float>&, const std::vector<std::int32_t>&,
                            int);
template double lu_residual(const std::vector<double>&, const std::vector<double>&, const std::vector<std::int32_t>&,
                            int);

}  // namespace kann::bench
