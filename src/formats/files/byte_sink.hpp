// The output of the format writers, which know nothing of files and are tested without one.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kann/error.hpp"

namespace kann::formats {

static_assert(std::endian::native == std::endian::little, "the binary formats are written as memory holds them");

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// Writes all of `bytes`, without a copy; blocks. Every call may be a system call: gather small pieces first.
  /// @throws Error resources.
  virtual void write(std::span<const std::byte> bytes) = 0;

  /// Whether overwrite() may be called, since nobody can have read the written bytes.
  virtual bool can_overwrite() const { return false; }

  /// Writes bytes from `offset` on, whatever is there; blocks. @throws Error resources.
  virtual void overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
    static_cast<void>(offset), static_cast<void>(bytes);
    throw Error(ErrorKind::internal, name() + ": written bytes cannot be replaced");
  }

  /// Leaves out the next `size` bytes, which overwrite() writes; returns where they begin. @throws Error resources.
  virtual std::uint64_t skip(std::uint64_t size) {
    static_cast<void>(size);
    throw Error(ErrorKind::internal, name() + ": bytes cannot be left out");
  }

  /// Says how many bytes will be written in all, as far as that is known.
  virtual void expect(std::uint64_t bytes) { static_cast<void>(bytes); }

  /// The sink's name in messages: the path as the user gave it.
  virtual const std::string& name() const = 0;
};

/// A sink for consecutive bytes that another sink has left out, from `begin` on.
class PlaceSink final : public ByteSink {
 public:
  PlaceSink(ByteSink& sink, std::uint64_t begin) : sink_(sink), position_(begin) {}

  void write(std::span<const std::byte> bytes) override {
    sink_.overwrite(position_, bytes);
    position_ += bytes.size();
  }
  const std::string& name() const override { return sink_.name(); }

 private:
  ByteSink& sink_;
  std::uint64_t position_;
};

inline std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Appends a number to a header, little-endian.
template <class T>
requires std::integral<T>
void append_number(std::string& header, T value) { header.append(reinterpret_cast<const char*>(&value), sizeof value); }

}  // namespace kann::formats
