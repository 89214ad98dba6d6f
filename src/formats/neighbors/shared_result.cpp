#include "formats/neighbors/shared_result.hpp"

#include <cstring>
#include <string>
#include <type_traits>

#include "kann/error.hpp"

namespace kann::formats {
namespace {

/// Appends values to bytes.
class Packer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  template <class List>
  void list(const List& list) {
    value(std::uint64_t{list.size()});
    for (const auto& each : list) value(each);
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes the values from the bytes again, in the same order.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void value(T& value) {
    check(sizeof value <= rest_.size());
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
  }
  void value(bool& value) {
    std::uint8_t byte;
    this->value(byte);
    value = byte != 0;
  }
  template <class List>
  void list(List& list) {
    std::uint64_t size;
    value(size);
    check(size <= rest_.size() / sizeof list[0]);
    list.resize(size);
    for (auto& each : list) value(each);
  }

  /// Takes the number of values of a class that follow, each of which has at least a byte.
  std::uint64_t count() {
    std::uint64_t count;
    value(count);
    check(count <= rest_.size());
    return count;
  }
  void end() const { check(rest_.empty()); }

 private:
  static void check(bool holds) {
    if (!holds) throw Error(ErrorKind::internal, "what processes say of a shared result is not whole");
  }

  std::span<const std::byte> rest_;
};

// The fields, for both directions.

template <class Direction, class Shape>
void shape_fields(Direction& d, Shape& shape) {
  d.value(shape.queries);
  d.value(shape.k);
  d.value(shape.has_wide_ids);
}

template <class Direction, class File>
void file_fields(Direction& d, File& file) {
  d.list(file.name);
  d.list(file.path);
  d.value(file.size);
  d.value(file.token);
  d.value(file.keeps_old);
}

template <class Direction, class Bytes>
void placed_fields(Direction& d, Bytes& placed) {
  d.value(placed.offset);
  d.list(placed.bytes);
}

template <class Direction, class Array>
void array_fields(Direction& d, Array& array) {
  d.value(array.checksum);
  for (auto* const placed : {&array.head, &array.tail, &array.first_sample, &array.last_sample})
    placed_fields(d, *placed);
}

}  // namespace

std::vector<std::byte> packed(const SharedResult& result) {
  Packer packer;
  packer.value(result.format);
  shape_fields(packer, result.shape);
  packer.value(std::uint64_t{result.files.size()});
  for (const SharedFile& file : result.files) file_fields(packer, file);
  return packer.take();
}

SharedResult unpacked_result(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  SharedResult result;
  unpacker.value(result.format);
  shape_fields(unpacker, result.shape);
  result.files.resize(unpacker.count());
  for (SharedFile& file : result.files) file_fields(unpacker, file);
  unpacker.end();
  return result;
}

std::vector<std::byte> packed(const WrittenPart& part) {
  Packer packer;
  packer.value(part.first);
  packer.value(part.queries);
  packer.value(std::uint64_t{part.arrays.size()});
  for (const WrittenPart::Array& array : part.arrays) array_fields(packer, array);
  return packer.take();
}

WrittenPart unpacked_part(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  WrittenPart part;
  unpacker.value(part.first);
  unpacker.value(part.queries);
  part.arrays.resize(unpacker.count());
  for (WrittenPart::Array& array : part.arrays) array_fields(unpacker, array);
  unpacker.end();
  return part;
}

}  // namespace kann::formats
