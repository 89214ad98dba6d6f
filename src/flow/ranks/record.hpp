// Numbers of several types as the bytes of a record.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace kann::flow {

/// Fills a record with the bytes of values.
class RecordWriter {
 public:
  explicit RecordWriter(std::span<std::byte> record) : rest_(record) {}

  template <class T>
  RecordWriter& put(std::span<const T> values) {
    if (!values.empty()) std::memcpy(rest_.data(), values.data(), values.size_bytes());
    rest_ = rest_.subspan(values.size_bytes());
    return *this;
  }
  template <class T>
  RecordWriter& put(const T& value) {
    return put(std::span<const T>(&value, 1));
  }

 private:
  std::span<std::byte> rest_;
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

}  // namespace kann::flow
