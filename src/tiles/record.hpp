// Numbers of several types as the bytes of a record.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace kann::tiles {

/// Appends the bytes of values.
class RecordWriter {
 public:
  explicit RecordWriter(std::vector<std::byte>& bytes) : bytes_(bytes) { bytes_.clear(); }

  template <class T>
  RecordWriter& put(std::span<const T> values) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + values.size_bytes());
    if (!values.empty()) std::memcpy(bytes_.data() + before, values.data(), values.size_bytes());
    return *this;
  }
  template <class T>
  RecordWriter& put(const T& value) {
    return put(std::span<const T>(&value, 1));
  }

 private:
  std::vector<std::byte>& bytes_;
};

/// Takes them back, in the same order.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void take(std::span<T> values) {
    if (values.empty()) return;
    std::memcpy(values.data(), bytes_.data(), values.size_bytes());
    bytes_ = bytes_.subspan(values.size_bytes());
  }
  template <class T>
  T take() {
    T value;
    take(std::span<T>(&value, 1));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace kann::tiles
