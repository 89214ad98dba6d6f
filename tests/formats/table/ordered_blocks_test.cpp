// Rows that are made on several threads reach the sink in their order, and an error in one ends all.
#include "formats/table/ordered_blocks.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace kann::formats {
namespace {

class StringSink : public ByteSink {
 public:
  explicit StringSink(std::size_t maximum_size = std::size_t{1} << 30) : maximum_size_(maximum_size) {}

  void write(std::span<const std::byte> bytes) override {
    if (text_.size() + bytes.size() > maximum_size_) throw Error(ErrorKind::resources, "full");
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const std::string& name() const override { return name_; }
  const std::string& text() const { return text_; }

 private:
  std::size_t maximum_size_;
  std::string text_, name_ = "sink";
};

/// Row i is its number and a space, but for `failing`, which throws. A block has one row, or 200.
MadeRows numbers(std::int64_t count, std::size_t longest, std::int64_t failing = -1) {
  return {count, count, longest, [failing](std::int64_t begin, std::int64_t end, char* out) {
            for (std::int64_t row = begin; row < end; ++row) {
              if (row == failing) throw std::runtime_error("row " + std::to_string(row));
              out = std::ranges::copy(std::to_string(row) + " ", out).out;
            }
            return out;
          }};
}
constexpr std::size_t k_longest_rows[] = {1 << 20, (768 << 10) / 200};

TEST(OrderedBlocks, AreWrittenInTheirOrder) {
  for (const std::size_t longest : k_longest_rows)
    for (const std::int64_t count : {0, 1, 2, 200, 201, 1000})
      for (const int threads : {1, 2, 7}) {
        StringSink sink;
        write_made_rows(numbers(count, longest), sink, threads);
        std::string right;
        for (std::int64_t i = 0; i < count; ++i) right += std::to_string(i) + " ";
        EXPECT_EQ(sink.text(), right) << count << " rows, " << threads << " threads";
      }
}

TEST(OrderedBlocks, OneThatCannotBeMadeEndsAll) {
  for (const std::size_t longest : k_longest_rows)
    for (const std::int64_t failing : {0, 1, 500, 999})
      for (const int threads : {1, 2, 7}) {
        StringSink sink;
        EXPECT_THROW(write_made_rows(numbers(1000, longest, failing), sink, threads), std::runtime_error);
        EXPECT_EQ(sink.text().find(std::to_string(failing + 1) + " " + std::to_string(failing + 2)), std::string::npos);
      }
}

TEST(OrderedBlocks, ASinkThatFailsEndsAll) {
  for (const std::size_t longest : k_longest_rows)
    for (const int threads : {1, 2, 7}) {
      StringSink sink(100);
      EXPECT_THROW(write_made_rows(numbers(1000, longest), sink, threads), Error);
    }
}

}  // namespace
}  // namespace kann::formats
