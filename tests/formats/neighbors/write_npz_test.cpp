// NumPy reads back what was written, for all sizes and texts.
#include <deque>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/neighbors/placed_rows.hpp"
#include "formats/numpy/npy_writer.hpp"
#include "formats/write_support.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {

using namespace test;

namespace {

class WriteNpz : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy to read the archive with";
  }
  TemporaryFolder folder_;
};

/// Compares the archive argv[1] with the .bin file argv[2] and the text in argv[3].
constexpr const char* k_compare = R"(
import sys, zipfile, numpy as np
archive, plain, meta = sys.argv[1:]
assert zipfile.ZipFile(archive).testzip() is None
read = np.load(archive)
assert read.files == ["ids", "distances", "meta"], read.files
rows, k = np.fromfile(plain, np.uint32, 2)
ids = np.fromfile(plain, np.int32, rows * k, offset=8).reshape(rows, k)
distances = np.fromfile(plain, np.float32, rows * k, offset=8 + 4 * ids.size).reshape(rows, k)
for name, want in ("ids", ids), ("distances", distances):
    got = read[name]
    assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), name
assert read["meta"].shape == ()
assert str(read["meta"]) == open(meta, encoding="utf-8", errors="replace", newline="").read(), str(read["meta"])
)";

TEST_F(WriteNpz, NumpyReadsEveryArrayAndTheText) {
  const std::string texts[] = {"", R"({"k": 8})", "{\"path\": \"/Zürich/点云/🦀.ply\",\n \"x\": 1}",
                               "never UTF-8: \xff \xc0\x80 \xed\xa0\x80 \xf5, cut short: \xe7"};
  for (const auto& [queries, k] : {std::pair{0, 8}, {5, 0}, {1, 1}, {513, 8}, {700'000, 4}}) {
    const Neighbors n = sample_neighbors(queries, k);
    for (const std::string& text : texts) {
      write_file(folder_.file("a.npz"), NeighborFormat::npz, n, text, true);
      write_file(folder_.file("a.bin"), NeighborFormat::bin, n, "", true);
      put_contents(folder_.file("meta"), text);
      EXPECT_EQ(run_python(k_compare, folder_.file("a.npz") + " " + folder_.file("a.bin") + " " + folder_.file("meta")),
                0)
          << queries << " x " << k << ", " << text;
    }
  }
}

TEST_F(WriteNpz, NumpyReadsValuesPerQueryAndOfTheWhole) {
  const Neighbors n = sample_neighbors(3, 2);
  const std::vector<Attribute> extras = {{"flag", Array<std::uint8_t>{1, 0, 2}}};
  const std::vector<Attribute> globals = {
      {"shape", Array<std::int64_t>{1, 3}}, {"step", Array<double>{0.1}}, {"none", Array<double>{}}};
  constexpr const char* compare = R"(
import sys, numpy as np
read = np.load(sys.argv[1])
assert read.files == ["ids", "distances", "flag", "shape", "step", "none", "meta"], read.files
for name, want in ("flag", np.array([1, 0, 2], "u1")), ("shape", np.array([1, 3], "i8")), ("step", np.array(0.1)), ("none", np.zeros(0)):
    got = read[name]
    assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), name
)";
  NeighborFile file(folder_.file("a.npz"), NeighborFormat::npz, false);
  file.write(n, "{}", 1, extras, globals);
  file.commit();
  EXPECT_EQ(run_python(compare, folder_.file("a.npz")), 0);
  const std::vector<Attribute> too_many = {{"flag", Array<std::uint8_t>{1, 0, 2, 3}}};
  NeighborFile other(folder_.file("b.npz"), NeighborFormat::npz, false);
  EXPECT_THROW(other.write(n, "{}", 1, too_many), Error);
}

TEST_F(WriteNpz, OfPlacedRowsHasTheirChecksums) {
  const Neighbors n = sample_neighbors(100'000, 5);
  NeighborFile file(folder_.file("a.npz"), NeighborFormat::npz, false);
  PlacedRows place = PlacedRows::in(file, n.queries, n.k, 2).value();
  place.write(rows_of(n, 0, n.queries, 4096));
  place.finish({.meta_json = "{}"});
  file.commit();
  write_file(folder_.file("a.bin"), NeighborFormat::bin, n);
  put_contents(folder_.file("meta"), "{}");
  EXPECT_EQ(run_python(k_compare, folder_.file("a.npz") + " " + folder_.file("a.bin") + " " + folder_.file("meta")), 0);
}

/// The file has holes in the place of most values, so that it takes no space.
TEST_F(WriteNpz, OfPlacedRowsPastFourGiBThePlacesAreThoseThatReadersFind) {
  NeighborFile file(folder_.file("a.npz"), NeighborFormat::npz, false);
  constexpr std::int32_t last_ids[] = {5, 6, 7, 8};
  constexpr float last_distances[] = {.5, 1, 1.5, 2};
  NeighborFile::State::of(file).write_whole([&] {
    ArraysWriter out(NeighborFormat::npz, {*NeighborFile::State::of(file).file}, {.queries = 700'000'000, .k = 2}, 0);
    for (const ResultArray& array : out.arrays()) {
      const auto last = array.values_of({0, 2, 2, {}, std::span(last_ids), last_distances});
      array.sink->overwrite(array.begin + array.size - last.size(), last);
    }
    out.finish({.meta_json = "{}"});
  });
  file.commit();
  constexpr const char* look = R"(
import sys, zipfile, numpy as np
archive = zipfile.ZipFile(sys.argv[1])
for name, kind, want in ("ids", "<i4", [5, 6, 7, 8]), ("distances", "<f4", [.5, 1, 1.5, 2]):
    with archive.open(name + ".npy") as file:
        assert np.lib.format.read_magic(file) == (1, 0)
        assert np.lib.format.read_array_header_1_0(file) == ((700000000, 2), False, np.dtype(kind))
        raw = open(sys.argv[1], "rb")
        info = archive.getinfo(name + ".npy")
        raw.seek(info.header_offset + 26)
        lengths = np.frombuffer(raw.read(4), "<u2")
        raw.seek(info.header_offset + 30 + int(lengths.sum()) + info.file_size - 16)
        assert np.frombuffer(raw.read(16), kind).tolist() == want, name
)";
  EXPECT_EQ(run_python(look, folder_.file("a.npz")), 0);
}

TEST_F(WriteNpz, RefusesText) {
  const auto texts = std::make_shared<Texts>();
  const std::int64_t oak = texts->add("oak", 0);
  const std::vector<Attribute> extras = {{"kind", Array<std::int64_t>{oak, 0, oak}, Meaning::none, texts}};
  NeighborFile file(folder_.file("text.npz"), NeighborFormat::npz, false);
  EXPECT_EQ(failure_of([&] { file.write(sample_neighbors(3, 2), "{}", 1, extras); }),
            "2: " + folder_.file("text.npz") + ": attribute kind is text; write numbers");
}

TEST_F(WriteNpz, ArraysLieAlignedInTheArchive) {
  const Neighbors n = sample_neighbors(100, 3);
  write_file(folder_.file("a.npz"), NeighborFormat::npz, n, "{}");
  const std::string bytes = contents(folder_.file("a.npz"));
  for (std::size_t at = bytes.find("\x93NUMPY"), seen = 0; seen < 3; at = bytes.find("\x93NUMPY", at + 1), ++seen) {
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(at % 64, 0);
    EXPECT_EQ((at + 10 + number_at<std::uint16_t>(bytes, at + 8)) % 64, 0);
  }
}

/// Writes large spans, which must be zeros, as holes, so that an archive of more than 4 GiB takes little space.
class SparseFile : public ByteSink {
 public:
  explicit SparseFile(const std::string& path) : name_(path), fd_(open(path.c_str(), O_WRONLY | O_CREAT, 0600)) {}
  ~SparseFile() override { close(fd_); }
  bool can_overwrite() const override { return true; }
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (bytes.size() >= 1 << 20) return;
    if (pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes.size()))
      throw std::runtime_error("short write");
  }
  std::uint64_t skip(std::uint64_t size) override {
    return static_cast<std::uint64_t>(lseek(fd_, static_cast<off_t>(size), SEEK_CUR)) - size;
  }
  void write(std::span<const std::byte> bytes) override { overwrite(skip(bytes.size()), bytes); }
  const std::string& name() const override { return name_; }

 private:
  std::string name_;
  int fd_;
};

void add(ZipWriter& zip, const char* name, const std::vector<std::span<const std::byte>>& parts) {
  std::uint64_t size = 0;
  for (const auto part : parts) size += part.size();
  zip.add(name, size, [&](const auto& sink) {
    for (const auto part : parts) sink(part);
  });
}

TEST_F(WriteNpz, MembersAndOffsetsPast4GiBAreZip64) {
  constexpr std::size_t size = (std::size_t{1} << 32) + 12345;
  void* zeros = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(zeros, MAP_FAILED);
  {
    SparseFile file(folder_.file("big.npz"));
    ZipWriter zip(file);
    add(zip, "first.npy", {as_bytes(npy_text("first"))});
    add(zip, "zeros", {as_bytes("begin"), std::span(static_cast<const std::byte*>(zeros), size)});
    add(zip, "last.npy", {as_bytes(npy_text("last"))});
    zip.finish();
  }
  {
    SparseFile file(folder_.file("beside.npz"));
    ZipWriter zip(file, 2);
    add(zip, "first.npy", {as_bytes(npy_text("first"))});
    const std::size_t member = zip.reserve("zeros", 5 + size);
    zip.fill(member, as_bytes("begin"));
    zip.fill(member, std::span(static_cast<const std::byte*>(zeros), size / 2));
    add(zip, "last.npy", {as_bytes(npy_text("last"))});
    zip.fill(member, std::span(static_cast<const std::byte*>(zeros), size - size / 2));
    zip.finish();
  }
  munmap(zeros, size);
  // A member that is filled by and by gives the same archive; only its ends hold other bytes than zeros.
  const auto ends = [&](const std::string& name) {
    std::ifstream file(folder_.file(name), std::ios::binary);
    std::string bytes(8192, '\0');
    file.read(bytes.data(), 4096).seekg(-4096, std::ios::end).read(bytes.data() + 4096, 4096);
    return std::pair(std::filesystem::file_size(folder_.file(name)), bytes);
  };
  EXPECT_TRUE(ends("big.npz") == ends("beside.npz"));
  // zlib computes the CRC-32 of the zeros chunk by chunk.
  EXPECT_EQ(run_python(R"(
import sys, zipfile, zlib, numpy as np
path, size = sys.argv[1], int(sys.argv[2])
info = {i.filename: i for i in zipfile.ZipFile(path).infolist()}
assert list(info) == ["first.npy", "zeros", "last.npy"]
assert info["zeros"].file_size == info["zeros"].compress_size == 5 + size
assert info["last.npy"].header_offset > 2**32
crc, left, chunk = zlib.crc32(b"begin"), size, bytes(1 << 24)
while left:
    crc = zlib.crc32(chunk[: min(left, len(chunk))], crc)
    left -= min(left, len(chunk))
assert info["zeros"].CRC == crc
with zipfile.ZipFile(path).open("zeros") as member:
    assert member.read(7) == b"begin\0\0"
read = np.load(path)
assert str(read["first"]) == "first" and str(read["last"]) == "last"
)",
                       folder_.file("big.npz") + " " + std::to_string(size)),
            0);
}

}  // namespace
}  // namespace kann::formats
