// Bytes of several processes in one file: each page has one writer, and a file of the same name is no proof.
#include "formats/files/shared_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "formats/files/output_file.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {
namespace {

using namespace test;

constexpr std::uint64_t k_page = 65536;

std::string text_of(const PlacedBytes& placed) {
  return {reinterpret_cast<const char*>(placed.bytes.data()), placed.bytes.size()};
}

/// A shared file of `size` bytes, and where its temporary file lies.
struct Shared {
  explicit Shared(std::uint64_t size) : output(open_output(folder.file("a"), false)), file(*output->share(size)) {}

  TemporaryFolder folder;
  std::unique_ptr<OutputFile> output;
  SharedFile file;
};

TEST(SharedFile, APartLeavesTheBytesInPagesOfOthersToTheOwner) {
  Shared shared(4 * k_page);
  std::string all(4 * k_page, ' ');
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>('a' + i % 23);
  const std::uint64_t places[] = {0, 1, 100, k_page - 1, k_page, k_page + 1, 100'000, 2 * k_page, 200'000, 4 * k_page};
  for (const std::uint64_t begin : places)
    for (const std::uint64_t end : places) {
      if (end < begin) continue;
      auto file = SharedFileWriter::open(shared.file);
      ASSERT_TRUE(file);
      PartSink sink(*file, begin, end);
      for (std::uint64_t at = begin; at < end;) {
        EXPECT_FALSE(sink.is_complete());
        const std::uint64_t step = std::min<std::uint64_t>(end - at, at % 2 ? 70'001 : 777);
        sink.write(as_bytes(std::string_view(all).substr(at, step)));
        at += step;
      }
      EXPECT_TRUE(sink.is_complete());
      file->finish();
      std::string written = contents(shared.file.path);
      // Whole pages of the part and nothing else
      for (std::uint64_t page = 0; page < 4; ++page) {
        const bool is_own = page * k_page >= begin && (page + 1) * k_page <= end;
        EXPECT_EQ(written.substr(page * k_page, k_page),
                  is_own ? all.substr(page * k_page, k_page) : std::string(k_page, '\0'))
            << begin << " to " << end << ", page " << page;
      }
      written.replace(sink.head().offset, sink.head().bytes.size(), text_of(sink.head()));
      written.replace(sink.tail().offset, sink.tail().bytes.size(), text_of(sink.tail()));
      EXPECT_EQ(written.substr(begin, end - begin), all.substr(begin, end - begin)) << begin << " to " << end;
      EXPECT_LT(sink.head().bytes.size() + sink.tail().bytes.size(), 2 * k_page);
      ASSERT_EQ(truncate(shared.file.path.c_str(), 0), 0);
      shared.file = *shared.output->share(4 * k_page);
    }
}

TEST(SharedFile, APartTakesNoMoreBytesThanItHas) {
  Shared shared(100);
  auto file = SharedFileWriter::open(shared.file);
  PartSink sink(*file, 10, 20);
  sink.write(as_bytes("123456789"));
  EXPECT_THROW(sink.write(as_bytes("ab")), Error);
}

TEST(SharedFile, AnotherFileOfTheSameNameIsNotOpened) {
  Shared shared(100);
  EXPECT_TRUE(SharedFileWriter::open(shared.file));
  const std::string whole = contents(shared.file.path);
  EXPECT_EQ(whole.size(), 100 + shared.file.token.size());
  SharedFile other = shared.file;
  other.token[3] ^= std::byte{1};
  EXPECT_FALSE(SharedFileWriter::open(other));
  other = shared.file;
  other.size = 99;
  EXPECT_FALSE(SharedFileWriter::open(other));
  std::filesystem::rename(shared.file.path, shared.folder.file("moved"));
  EXPECT_FALSE(SharedFileWriter::open(shared.file)) << "nothing there";
  std::filesystem::create_symlink(shared.folder.file("moved"), shared.file.path);
  EXPECT_FALSE(SharedFileWriter::open(shared.file)) << "a link";
  std::filesystem::remove(shared.file.path);
  std::filesystem::create_directory(shared.file.path);
  EXPECT_FALSE(SharedFileWriter::open(shared.file)) << "a folder";
  std::filesystem::remove(shared.file.path);
  put_contents(shared.file.path, whole.substr(0, 110));
  EXPECT_FALSE(SharedFileWriter::open(shared.file)) << "cut off";
}

TEST(SharedFile, TwoTokensDiffer) { EXPECT_NE(random_token(), random_token()); }

TEST(SharedFile, TheOwnerSkipsWhatOthersWrite) {
  Shared shared(6);
  auto file = SharedFileWriter::open(shared.file);
  ASSERT_TRUE(file);
  file->write(2, as_bytes("cd"));
  file->finish();
  shared.output->unshare(6);
  shared.output->write(as_bytes("ab"));
  shared.output->skip(2);
  shared.output->write(as_bytes("efgh"));
  shared.output->finish();
  shared.output->publish();
  EXPECT_EQ(contents(shared.folder.file("a")), "abcdefgh");
}

TEST(SharedFile, AStreamIsNotShared) { EXPECT_FALSE(open_output("/dev/null", false)->share(100)); }

}  // namespace
}  // namespace kann::formats
