// What ranks send to each other: ranks that are threads, and one that is alone; and what each has of numbered things.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "flow/ranks/shares.hpp"
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

/// A record that is sent, against what each rank was told to send.
struct Letter {
  std::int64_t number;
  std::uint32_t address;

  auto operator<=>(const Letter&) const = default;
};

TEST(RecordExchange, BringsEachRecordOnceToTheRankItIsFor) {
  for (const int count : {1, 2, 3, 8})
    for (const std::size_t chunk : {1, 100, 100000}) {
      std::mutex mutex;
      std::vector<std::vector<Letter>> sent(count), got(count);
      run_on_threads(count, [&](Communicator& ranks) {
        std::vector<Letter> received;
        RecordExchange exchange(ranks, sizeof(std::int64_t), std::filesystem::temp_directory_path(), chunk,
                                [&](std::uint32_t address, std::span<const std::byte> records) {
                                  ASSERT_EQ(records.size() % sizeof(std::int64_t), 0u);
                                  for (; !records.empty(); records = records.subspan(sizeof(std::int64_t))) {
                                    Letter letter{0, address};
                                    std::memcpy(&letter.number, records.data(), sizeof letter.number);
                                    received.push_back(letter);
                                  }
                                });
        test::Random r(static_cast<std::uint64_t>(ranks.rank()));
        for (int round = 0; round < 4; ++round) {
          // One sends nothing, and one far more than the others
          const std::uint64_t letters = ranks.rank() == 1 ? 0 : ranks.rank() == 2 ? 1000 : r.below(50);
          for (std::uint64_t i = 0; i < letters; ++i) {
            const std::vector<std::int64_t> numbers(1 + r.below(5), static_cast<std::int64_t>(r.below(1u << 30)));
            const auto address = static_cast<std::uint32_t>(r.below(99));
            const int to = static_cast<int>(r.below(static_cast<std::uint64_t>(count)));
            exchange.send(to, address, std::as_bytes(std::span(numbers)));
            const std::lock_guard lock(mutex);
            for (const std::int64_t number : numbers) sent[to].push_back({number, address});
          }
          exchange.deliver();
          ranks.wait();
          EXPECT_EQ(received.size(), sent[ranks.rank()].size()) << "all has arrived";
          ranks.wait();
        }
        got[ranks.rank()] = received;
      });
      for (int rank = 0; rank < count; ++rank) {
        std::ranges::sort(sent[rank]);
        std::ranges::sort(got[rank]);
        EXPECT_EQ(got[rank], sent[rank]);
      }
    }
}

TEST(Shares, FollowEachOtherAndAreAsEqualAsCanBe) {
  for (const int ranks : {1, 2, 3, 7, 64})
    for (const std::int64_t count : {0, 1, 2, 6, 7, 8, 63, 64, 65, 1000}) {
      EXPECT_EQ(share_begin(count, ranks, 0), 0);
      EXPECT_EQ(share_begin(count, ranks, ranks), count);
      for (int rank = 0; rank < ranks; ++rank) {
        const std::int64_t begin = share_begin(count, ranks, rank), end = share_begin(count, ranks, rank + 1);
        EXPECT_TRUE(end - begin == count / ranks || end - begin == count / ranks + 1);
        for (std::int64_t i = begin; i < end; ++i) EXPECT_EQ(share_owner(count, ranks, i), rank);
      }
    }
}

TEST(Shares, TakeCountsOfAnySize) {
  const std::int64_t count = 9'000'000'000'000'000'001;
  EXPECT_EQ(share_begin(count, 1 << 20, 1 << 20), count);
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{12345678901234}, count - 1}) {
    const int owner = share_owner(count, 1 << 20, i);
    EXPECT_LE(share_begin(count, 1 << 20, owner), i);
    EXPECT_GT(share_begin(count, 1 << 20, owner + 1), i);
  }
}

}  // namespace
}  // namespace kann::flow
