// Which cases of a long loop are run. Everyday runs take one of four, which depends on the number TEST_PART (0
// without it): four numbers from a multiple of 4 on take each case once. `scripts/test --thorough`, which sets
// TEST_THOROUGH, takes all.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace kann::test {

class Part {
 public:
  /// Whether the next case of the loop is run: one of every four that follow each other, so that a loop should have at
  /// least four. Which one looks random, so that loops inside the loop and other tests do not always get the same
  /// value.
  bool takes_next() {
    const std::uint64_t number = case_++;
    return is_thorough_ ||
           (mixed(test_ + part_ / k_every + (number / k_every << 32)) + part_) % k_every == number % k_every;
  }

 private:
  static constexpr std::uint64_t k_every = 4;

  /// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  static std::uint64_t number_of(const char* variable) {
    const char* const text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : 0;
  }

  /// The same for all parameters of a test, whose results may be compared.
  static std::uint64_t number_of_test() {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    return std::hash<std::string>()(name.substr(0, name.find('/')));
  }

  bool is_thorough_ = number_of("TEST_THOROUGH") != 0;
  std::uint64_t part_ = number_of("TEST_PART");
  std::uint64_t test_ = number_of_test();
  std::uint64_t case_ = 0;
};

}  // namespace kann::test
