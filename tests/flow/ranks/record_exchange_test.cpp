// Records that ranks send to each other, against what they were told to send.
#include "flow/ranks/record_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <vector>

#include "clouds.hpp"
#include "flow/ranks/threads.hpp"

namespace kann::flow {
namespace {

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

}  // namespace
}  // namespace kann::flow
