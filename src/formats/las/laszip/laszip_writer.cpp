#include <cstring>
#include <optional>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <utility>
#include <vector>

#include "formats/las/laszip/laszip.hpp"
#include "formats/las/laszip/laszip_point.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_table_place_bytes = 8;
constexpr laszip_U16 k_header_bytes = 375;  // of LAS 1.4

/// Holds what the library writes until it is passed on: a stream loses what is thrown while it writes. The first 8
/// bytes, to which the library comes back, are the place of the table of the chunks, and are kept.
class HeldBytes : public std::streambuf {
 public:
  std::uint64_t table_place() const {
    std::uint64_t place;
    std::memcpy(&place, place_, sizeof place);
    return place;
  }

  std::size_t size() const { return held_.size(); }

  void pass_on(const LaszipWriter::Take& take) {
    if (!held_.empty()) take(held_.data(), held_.size());
    held_.clear();
  }

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    for (std::streamsize i = 0; i < count; ++i) put(bytes[i]);
    return count;
  }
  int_type overflow(int_type byte) override {
    put(traits_type::to_char_type(byte));
    return byte;
  }

  void put(char byte) {
    if (position_ < static_cast<off_type>(sizeof place_)) {
      place_[position_++] = byte;
      return;
    }
    held_.push_back(byte);
    ++position_;
  }

  pos_type seekoff(off_type offset, std::ios_base::seekdir way, std::ios_base::openmode) override {
    if (way == std::ios_base::cur && offset == 0) return pos_type(position_);
    return pos_type(off_type(-1));
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode) override {
    position_ = off_type(position);
    return position;
  }

  std::vector<char> held_;
  off_type position_ = 0;
  char place_[k_table_place_bytes] = {};
};

/// Opens a writer. @param with_header whether it writes a header, too
void open_writer(laszip_POINTER laszip, const LaszipShape& shape, std::ostream& stream, bool with_header) {
  check_laszip(laszip_set_point_type_and_size(laszip, static_cast<laszip_U8>(shape.format),
                                              static_cast<laszip_U16>(shape.record_bytes)));
  if (with_header) {
    laszip_header* plain = nullptr;
    check_laszip(laszip_get_header_pointer(laszip, &plain));
    plain->version_major = 1;
    plain->version_minor = 4;
    plain->header_size = k_header_bytes;
    plain->offset_to_point_data = k_header_bytes;
  }
  check_laszip(laszip_open_writer_stream(laszip, stream, 1, with_header ? 0 : 1));
}

}  // namespace

std::string laszip_head(const LaszipShape& shape) {
  std::ostringstream stream;
  const Laszip laszip;
  open_writer(laszip, shape, stream, true);
  check_laszip(laszip_close_writer(laszip));
  return stream.str();
}

struct LaszipWriter::State {
  State(const LaszipShape& shape, Take taker) : take(std::move(taker)), stream(&buffer) {
    open_writer(laszip, shape, stream, false);
    record.emplace(laszip, shape);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { laszip_close_writer(laszip); }  // if it is still open

  void pass_on() {
    if (!stream) throw std::bad_alloc();
    buffer.pass_on(take);
  }

  const Take take;
  HeldBytes buffer;
  std::ostream stream;
  Laszip laszip;
  std::optional<PointRecord> record;
};

LaszipWriter::LaszipWriter(const LaszipShape& shape, Take take)
    : state_(std::make_unique<State>(shape, std::move(take))) {}
LaszipWriter::~LaszipWriter() = default;

void LaszipWriter::write(std::size_t count, const char* records) {
  constexpr std::size_t most_held = std::size_t{1} << 20;
  const std::size_t bytes = state_->record->bytes();
  for (std::size_t i = 0; i < count; ++i, records += bytes) {
    state_->record->from(records);
    check_laszip(laszip_write_point(state_->laszip));
    if (state_->buffer.size() >= most_held) state_->pass_on();
  }
}

std::uint64_t LaszipWriter::finish() {
  check_laszip(laszip_close_writer(state_->laszip));
  state_->pass_on();
  return state_->buffer.table_place() - k_table_place_bytes;
}

}  // namespace kann::formats
