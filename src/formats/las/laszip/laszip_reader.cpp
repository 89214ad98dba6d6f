#include <algorithm>
#include <istream>
#include <streambuf>
#include <string_view>
#include <utility>

#include "formats/las/laszip/laszip.hpp"
#include "formats/las/laszip/laszip_point.hpp"

namespace kann::formats {
namespace {

class OpenReader {
 public:
  explicit OpenReader(std::istream& stream) {
    laszip_BOOL is_compressed = 0;
    check_laszip(laszip_open_reader_stream(laszip_, stream, &is_compressed));
  }
  OpenReader(const OpenReader&) = delete;
  OpenReader& operator=(const OpenReader&) = delete;
  ~OpenReader() { laszip_close_reader(laszip_); }
  operator laszip_POINTER() const { return laszip_; }

 private:
  Laszip laszip_;
};

/// Bytes that the library reads. Its position may be behind the end, where nothing can be read.
///
/// Where the times of points switch among several sequences, the library calls itself, as often as the file says: 700
/// bytes overflow the stack. So it gets its bytes one by one, and none once it has gone that deep, which it takes for
/// the end of the file. Between two bytes it calls itself some 36,000 times at most, since no call takes less than
/// 1/4600 of a bit. A writer switches once per point. (From point format 6 on, the library reads layers as a whole; but
/// there it ends with that call, of which an optimising compiler makes a loop.)
class FileBytes : public std::streambuf {
 public:
  explicit FileBytes(std::string bytes) : bytes_(std::move(bytes)) {}

  /// To be called before a call to the library that decompresses points: notes where the stack is.
  void watch_stack() { stack_ = here(); }

  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  static std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

  bool is_deep() const {
    constexpr std::uintptr_t most_stack = 256 << 10;
    return stack_ > 0 && stack_ - here() > most_stack;  // it grows downwards
  }

  int_type underflow() override {
    return at_ < bytes_.size() && !is_deep() ? traits_type::to_int_type(bytes_[at_]) : traits_type::eof();
  }
  int_type uflow() override {
    const int_type byte = underflow();
    if (byte != traits_type::eof()) ++at_;
    return byte;
  }
  std::streamsize xsgetn(char* to, std::streamsize count) override {
    const std::size_t left = bytes_.size() - std::min(at_, bytes_.size());
    const std::size_t some = std::min(left, static_cast<std::size_t>(count));
    std::copy_n(bytes_.data() + (bytes_.size() - left), some, to);
    at_ += some;
    return static_cast<std::streamsize>(some);
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir way, std::ios_base::openmode) override {
    const std::size_t from = way == std::ios_base::cur ? at_ : way == std::ios_base::end ? bytes_.size() : 0;
    return seekpos(static_cast<off_type>(from) + offset, std::ios_base::in);
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode) override {
    if (off_type(position) < 0) return pos_type(off_type(-1));
    at_ = static_cast<std::size_t>(off_type(position));
    return position;
  }

  const std::string bytes_;
  std::size_t at_ = 0;
  std::uintptr_t stack_ = 0;
};

}  // namespace

std::vector<std::uint64_t> laszip_chunks(std::string file, std::uint64_t count) {
  FileBytes buffer(std::move(file));
  std::istream stream(&buffer);
  OpenReader reader(stream);
  std::vector<std::uint64_t> begins;
  for (std::uint64_t chunk = 0; chunk < count; ++chunk) {
    if (laszip_seek_point(reader, static_cast<laszip_I64>(chunk))) break;
    begins.push_back(static_cast<std::uint64_t>(std::streamoff(stream.tellg())));
  }
  return begins;
}

struct LaszipReader::State {
  State(const LaszipShape& shape, std::string file)
      : bytes(std::move(file)), stream(&bytes), laszip(stream), record(laszip, shape) {}

  FileBytes bytes;
  std::istream stream;
  OpenReader laszip;
  PointRecord record;
};

LaszipReader::LaszipReader(const LaszipShape& shape, std::string file)
    : state_(std::make_unique<State>(shape, std::move(file))) {}
LaszipReader::~LaszipReader() = default;

bool LaszipReader::read(std::size_t count, char* records) {
  state_->bytes.watch_stack();
  const std::size_t bytes = state_->record.bytes();
  for (std::size_t i = 0; i < count; ++i, records += bytes) {
    if (laszip_read_point(state_->laszip)) {
      laszip_CHAR* message = nullptr;
      laszip_get_error(state_->laszip, &message);
      if (message && std::string_view(message).starts_with("internal error")) throw std::bad_alloc();
      return false;
    }
    state_->record.to(records);
  }
  return true;
}

bool LaszipReader::is_at_end() const { return state_->bytes.is_at_end(); }

}  // namespace kann::formats
