// Writes LAZ: what a writer of LAS writes, compressed.
#include <optional>
#include <utility>

#include "kann/error.hpp"

#include "formats/files/refusal.hpp"
#include "formats/las/las_vlrs.hpp"
#include "formats/las/laszip/laszip.hpp"
#include "formats/las/laz.hpp"
#include "formats/las/laz_encoding.hpp"

namespace kann::formats {
namespace {

/// Gathers bytes of point records, which come in any pieces, and compresses them.
class RecordSink final : public ByteSink {
 public:
  RecordSink(LaszipWriter& writer, std::string& rest, std::size_t record, const std::string& name)
      : writer_(writer), rest_(rest), record_(record), name_(name) {}

  void write(std::span<const std::byte> bytes) override {
    std::string_view left(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!rest_.empty()) {
      const std::string_view more = left.substr(0, record_ - rest_.size());
      rest_ += more;
      left.remove_prefix(more.size());
      if (rest_.size() < record_) return;
      writer_.write(1, rest_.data());
      rest_.clear();
    }
    const std::size_t whole = left.size() / record_;
    writer_.write(whole, left.data());
    rest_ = left.substr(whole * record_);
  }

  const std::string& name() const override { return name_; }

 private:
  LaszipWriter& writer_;
  std::string& rest_;
  const std::size_t record_;
  const std::string& name_;
};

class LazWriter final : public CloudWriter {
 public:
  LazWriter(std::unique_ptr<CloudWriter> las, std::string file) : las_(std::move(las)), file_(std::move(file)) {}

  bool needs_survey() const override { return las_->needs_survey(); }
  void survey(const CloudBlock& block) override { las_->survey(block); }
  bool end_survey() override { return las_->end_survey(); }

  /// After the head is the place of the table of the chunks: −1 says that it is at the end of the file.
  std::string begin() override {
    std::string head = las_->begin();
    header_ = parse_las_header(head, file_);
    const LaszipShape shape{header_.format, header_.record};
    head = compressed_head(std::move(head), laszip_head(shape), file_);
    begin_ = head.size();
    append_number(head, std::int64_t{-1});
    writer_.emplace(shape, [this](const char* bytes, std::size_t size) {
      sink_->write(std::as_bytes(std::span(bytes, size)));
      written_ += size;
    });
    return head;
  }

  void write(const CloudBlock& block, ByteSink& sink, int threads) override {
    sink_ = &sink;
    if (header_.extended_records > 0 && !sink.can_overwrite())
      throw Error(ErrorKind::resources, file_ +
                                            ": LAZ with extended variable length records cannot be written to a "
                                            "stream; name a file, or write las");
    RecordSink records(*writer_, rest_, header_.record, file_);
    las_->write(block, records, threads);
  }

  void end(ByteSink& sink) override {
    sink_ = &sink;
    const std::uint64_t first_chunk = begin_ + sizeof(std::int64_t), table = first_chunk + writer_->finish();
    const std::uint64_t after = first_chunk + written_;
    const auto bytes_of = [](const std::uint64_t& number) { return std::as_bytes(std::span(&number, 1)); };
    if (!sink.can_overwrite()) return sink.write(bytes_of(table));
    sink.overwrite(begin_, bytes_of(table));
    if (header_.extended_records > 0) sink.overwrite(las_header::extended_begin, bytes_of(after));
    las_->end(sink);
  }

  std::vector<std::string> warnings() const override { return las_->warnings(); }

 private:
  const std::unique_ptr<CloudWriter> las_;
  const std::string file_;
  LasHeader header_{};
  std::uint64_t begin_ = 0;    // of the place of the table
  std::uint64_t written_ = 0;  // compressed bytes
  std::string rest_;           // of a record, of which the other bytes are still to come
  ByteSink* sink_ = nullptr;
  std::optional<LaszipWriter> writer_;
};

}  // namespace

std::unique_ptr<CloudWriter> laz_writer(std::unique_ptr<CloudWriter> las, const std::string& file) {
  return std::make_unique<LazWriter>(std::move(las), file);
}

}  // namespace kann::formats
