#include "papers/matvec/matvec_reference.hpp"

#include "papers/random_words.hpp"

namespace kann::bench {

std::vector<float> random_small_integers(std::size_t count, std::uint64_t seed) {
  RandomWords words(seed);
  std::vector<float> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(static_cast<int>(words.next() >> 28) - 8));
  return values;
}

std::vector<float> product_on_host(const std::vector<float>& matrix, const std::vector<float>& vector) {
  std::vector<float> result;
  result.reserve(vector.size());
  for (std::size_t row = 0; row < vector.size(); ++row) {
    std::int64_t sum = 0;
    for (std::size_t column = 0; column < vector.size(); ++column)
      sum +=
          static_cast<std::int64_t>(matrix[row * vector.size() + column]) * static_cast<std::int64_t>(vector[column]);
    result.push_back(static_cast<float>(sum));
  }
  return result;
}

}  // namespace kann::bench
