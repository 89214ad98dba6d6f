// Ranks that are threads, and one that is alone.
#include "flow/ranks/communicator.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "flow/ranks/threads.hpp"

namespace kann::flow {
namespace {

Bytes bytes_of(const std::string& text) {
  Bytes bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

/// What `from` sends to `to` in a round: of various lengths, and nothing to some.
Bytes message(int from, int to, int round) {
  return bytes_of(
      std::string(static_cast<std::size_t>((from * 7 + to * 3 + round) % 5), static_cast<char>('a' + from)) +
      (round % 2 ? std::to_string(to) : ""));
}

void expect_all_arrives(Communicator& ranks) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Bytes> to;
    for (int r = 0; r < ranks.size(); ++r) to.push_back(message(ranks.rank(), r, round));
    const std::vector<Bytes> from = ranks.exchange(std::move(to));
    ASSERT_EQ(from.size(), static_cast<std::size_t>(ranks.size()));
    for (int r = 0; r < ranks.size(); ++r) EXPECT_EQ(from[r], message(r, ranks.rank(), round));

    const std::vector<std::int64_t> all = ranks.gather_values(std::vector<std::int64_t>(ranks.rank() % 3, round));
    std::size_t want = 0;
    for (int r = 0; r < ranks.size(); ++r) want += static_cast<std::size_t>(r % 3);
    EXPECT_EQ(all, std::vector<std::int64_t>(want, round));
    EXPECT_EQ(ranks.sum(ranks.rank() + 1), std::int64_t{ranks.size()} * (ranks.size() + 1) / 2);
    EXPECT_TRUE(ranks.any(ranks.rank() == ranks.size() - 1));
    EXPECT_FALSE(ranks.any(false));
  }
}

TEST(Communicator, SendsWhatEachGivesToEach) {
  Alone alone;
  expect_all_arrives(alone);
  for (const int count : {1, 2, 3, 8}) {
    std::atomic<int> ranks_seen{0};
    run_on_threads(count, [&](Communicator& ranks) {
      EXPECT_EQ(ranks.size(), count);
      ranks_seen |= 1 << ranks.rank();
      expect_all_arrives(ranks);
    });
    EXPECT_EQ(ranks_seen, (1 << count) - 1);
  }
}

TEST(Communicator, SumsNumbersOfAllRanks) {
  for (const int count : {1, 2, 3, 8})
    for (const std::int64_t size : {0, 1, 2, 7, 8, 9, 5'000})
      run_on_threads(count, [&](Communicator& ranks) {
        std::vector<std::int64_t> numbers, want;
        for (std::int64_t i = 0; i < size; ++i) {
          numbers.push_back((i << 40) - ranks.rank());
          want.push_back((i << 40) * count - count * (count - 1) / 2);
        }
        ranks.sum(numbers);
        EXPECT_EQ(numbers, want);
      });
}

TEST(Communicator, EndsAllRanksWhenOneFails) {
  for (const int failing : {0, 1, 4}) {
    std::atomic<int> others{0};
    try {
      run_on_threads(5, [&](Communicator& ranks) {
        ranks.wait();
        if (ranks.rank() == failing) throw Error(ErrorKind::no_device, "rank " + std::to_string(failing));
        try {
          // They are in different calls of the same place
          if (ranks.rank() % 2 == 0) ranks.wait();
          ranks.exchange(std::vector<Bytes>(5));
        } catch (const Error& e) {
          EXPECT_EQ(e.kind(), ErrorKind::no_device);
          EXPECT_EQ(e.what(), "rank " + std::to_string(failing));
          ++others;
          throw;
        }
      });
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), "rank " + std::to_string(failing));
    }
    EXPECT_EQ(others, 4);
  }
}

TEST(Communicator, TellsOthersOfExceptionsOfAnyKind) {
  const auto kind_told = [](auto raise) {
    std::atomic<int> kind{0};
    EXPECT_ANY_THROW(run_on_threads(2, [&](Communicator& ranks) {
      if (ranks.rank() == 0) raise();
      try {
        ranks.wait();
      } catch (const Error& e) {
        kind = e.exit_code();
        throw;
      }
    }));
    return kind.load();
  };
  EXPECT_EQ(kind_told([] { throw std::bad_alloc(); }), 4);
  EXPECT_EQ(kind_told([] { throw std::runtime_error("x"); }), 70);
  EXPECT_EQ(kind_told([] { throw 1; }), 70);
}

}  // namespace
}  // namespace kann::flow
