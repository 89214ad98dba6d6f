// The answer is the same whatever floating-point environment the caller has set, and the caller keeps it.
#include "base/float_environment.hpp"

#include <atomic>
#include <cfenv>
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "kann/search.hpp"

#include "base/threads/parallel.hpp"
#include "clouds.hpp"

namespace kann::base {
namespace {

using namespace test;

/// A product that the compiler does not compute.
float product(float a, float b) {
  volatile float x = a, y = b;
  return x * y;
}

constexpr float k_subnormal = 1e-40f;

class FloatEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    std::fegetenv(&before_);
    std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);  // flush subnormal results, and operands, to zero, as -ffast-math does
#elif defined(__aarch64__)
    __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1u << 24);  // the same
#endif
  }
  void TearDown() override { std::fesetenv(&before_); }

  std::fenv_t before_;
};

TEST_F(FloatEnvironment, IsTheDefaultInsideAndTheCallersAfterwards) {
  const float outside = product(k_subnormal, 1);
  {
    const DefaultFloatEnvironment environment;
    EXPECT_EQ(product(k_subnormal, 1), k_subnormal);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(product(k_subnormal, 1), outside);
}

TEST_F(FloatEnvironment, OfEveryThreadIsTheDefault) {
  std::atomic<int> wrong{0};
  const auto check = [&] { wrong += product(k_subnormal, 1) != k_subnormal || std::fegetround() != FE_TONEAREST; };
  parallel_for(100, 4, [&](std::int64_t) { check(); });
  parallel_blocks(100, 4, [&](int, std::int64_t, std::int64_t) { check(); });
  parallel_chunks(100, 1, 4, [&](std::int64_t, std::int64_t) { check(); });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

/// Neighbours at distance 0, and at distances whose squares are subnormal.
Points tiny_lattice() {
  Random random(7);
  return to_points(make_cloud(800, 3, [&](auto, int) { return 1e-19 * static_cast<double>(random.below(5)); }), 3);
}

TEST_F(FloatEnvironment, ChangesNoAnswer) {
  const Points cloud = tiny_lattice();
  for (const Method method : {Method::shifted_sort, Method::exact})
    for (const std::int64_t k : {1, 8, 20, 50}) {
      if (method == Method::shifted_sort && k > k_max_shifted_k) continue;
      SearchOptions options;
      options.device.kind = DeviceKind::cpu;
      options.method = method;
      options.k = k;
      options.threads = 3;
      const SearchResult got = search_self(cloud, options);
      EXPECT_EQ(std::fegetround(), FE_UPWARD);
      std::fenv_t strange;
      std::fegetenv(&strange);
      std::fesetenv(FE_DFL_ENV);
      const SearchResult want = search_self(cloud, options);
      std::fesetenv(&strange);
      EXPECT_TRUE(got.neighbors.ids == want.neighbors.ids) << "k=" << k;
      EXPECT_TRUE(got.neighbors.distances == want.neighbors.distances) << "k=" << k;
    }
}

}  // namespace
}  // namespace kann::base
