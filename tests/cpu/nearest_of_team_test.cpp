// The nearest candidates of a team of queries, on each vector target, against sorted numbers.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <vector>

#include "clouds.hpp"
#include "cpu/nearest/nearest_of_team-inl.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

constexpr int k_queries = 16;

struct Candidate {
  float sq_dist;
  std::uint32_t code;
};

/// A squared distance of any magnitude, or one of a few.
inline float some_sq_dist(test::Random& random) {
  if (random.below(2) == 0) return static_cast<float>(random.below(4)) * 0x1p-130f;
  return std::bit_cast<float>(static_cast<std::uint32_t>(random.below(0x7f800000)));
}

/// Appends vectors of candidates to every query, some lanes of each, in turns; returns what was appended.
template <class Nearest>
std::vector<std::vector<Candidate>> append_some(Nearest& nearest, test::Random& random, std::uint64_t most) {
  std::vector<std::vector<Candidate>> all(k_queries);
  nearest.clear();
  for (int round = 0; round < (1 << Nearest::k_code_bits) / k_lanes; ++round)
    for (int query = 0; query < k_queries; ++query) {
      HWY_ALIGN float sq_dists[k_lanes];
      HWY_ALIGN std::uint32_t codes[k_lanes], taken[k_lanes];
      for (int i = 0; i < k_lanes; ++i) {
        sq_dists[i] = some_sq_dist(random);
        codes[i] = static_cast<std::uint32_t>(round * k_lanes + i);
        taken[i] = all[query].size() < most * static_cast<std::uint64_t>(query) / k_queries && random.below(3) == 0;
        if (taken[i]) all[query].push_back({sq_dists[i], codes[i]});
      }
      const auto mask = hn::Ne(hn::Load(Unsigned(), taken), hn::Zero(Unsigned()));
      nearest.append(query, hn::Load(Floats(), sq_dists), hn::Load(Unsigned(), codes), hn::RebindMask(Floats(), mask));
    }
  return all;
}

/// The codes are of the nearest candidates, whose squared distances are known to 2⁻¹³ of them, and so is that of the
/// first that is left out. More than `most_sorted` candidates are too many.
template <class Nearest>
void check_nearest_of(std::size_t most_sorted) {
  constexpr auto kept = static_cast<std::size_t>(Nearest::k_kept);
  test::Random random(61);
  const auto nearest = std::make_unique<Nearest>();
  for (const std::uint64_t most : {3, 20, 64, 100, 140, 500, 8, 64})
    for (int round = 0; round < 20; ++round) {
      auto all = append_some(*nearest, random, most);
      nearest->select();
      for (int query = 0; query < k_queries; ++query) {
        auto& candidates = all[query];
        ASSERT_EQ(nearest->is_full(query), candidates.size() > most_sorted);
        if (nearest->is_full(query)) continue;
        std::sort(candidates.begin(), candidates.end(),
                  [](const Candidate& a, const Candidate& b) { return a.sq_dist < b.sq_dist; });
        for (std::size_t i = 0; i <= kept; ++i) {
          constexpr float none = std::numeric_limits<float>::infinity();
          const float sq_dist = i < candidates.size() ? candidates[i].sq_dist : none;
          const float low = nearest->at_least(query, i), high = nearest->at_most(query, i);
          ASSERT_LE(low, sq_dist);
          ASSERT_GE(high, sq_dist);
          if (i >= candidates.size()) continue;
          ASSERT_LE(high - low, sq_dist * 0x1p-13f + 0x1p-139f);
          if (i == kept) continue;
          const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
            return c.code == nearest->code(query, static_cast<int>(i));
          });
          ASSERT_NE(found, candidates.end());
          ASSERT_GE(found->sq_dist, low);
          ASSERT_LE(found->sq_dist, high);
        }
      }
    }
}

void check_nearest_many() {
  check_nearest_of<NearestMany<k_queries, 8>>(64);
  check_nearest_of<NearestMany<k_queries, 16>>(128);
}
void check_nearest_one() { check_nearest_of<NearestOne<k_queries>>(512); }

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(void check_nearest_many(); void check_nearest_one();)

namespace {

class NearestOfTeam : public OnVectorTarget {};

TEST_P(NearestOfTeam, AreTheNearestCandidatesOfEveryQuery) { KANN_DISPATCH(check_nearest_many)(); }
TEST_P(NearestOfTeam, IsTheOneNearestCandidateOfEveryQuery) { KANN_DISPATCH(check_nearest_one)(); }

INSTANTIATE_TEST_SUITE_P(, NearestOfTeam, testing::ValuesIn(vector_targets()), vector_target_name);

}  // namespace
}  // namespace kann::cpu
#endif
