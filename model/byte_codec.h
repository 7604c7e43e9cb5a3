#pragma once
// ByteWriter, ByteReader: small numbers as few bytes (LEB128, signed ones in zigzag order). For states that
// this program writes and reads back itself; nothing is validated.

#include <cstdint>
#include <cstring>
#include <memory>

namespace mirrorproof {

class ByteWriter {
 public:
  ByteWriter() = default;
  ByteWriter(const ByteWriter& other) { append(other); }
  ByteWriter(ByteWriter&&) noexcept = default;
  ByteWriter& operator=(ByteWriter&&) noexcept = default;
  ByteWriter& operator=(const ByteWriter& other) {
    if (this != &other) {
      clear();
      append(other);
    }
    return *this;
  }

  void clear() { size_ = 0; }
  [[gnu::always_inline]] void byte(std::uint8_t value) {
    make_room(1);
    bytes_[size_++] = value;
  }
  [[gnu::always_inline]] void number(std::uint64_t value) {
    make_room(kLongest);
    if (value < 0x80) [[likely]] {
      bytes_[size_++] = static_cast<std::uint8_t>(value);
      return;
    }
    long_number(value);
  }
  [[gnu::always_inline]] void integer(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void append(const std::uint8_t* bytes, std::size_t size) {
    make_room(size);
    if (size > 0) {
      std::memcpy(bytes_.get() + size_, bytes, size);
    }
    size_ += size;
  }
  void append(const ByteWriter& other) { append(other.data(), other.size()); }
  const std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }

 private:
  /// Bytes of the largest number.
  static constexpr std::size_t kLongest = 10;

  void make_room(std::size_t more) {
    if (capacity_ - size_ < more) [[unlikely]] {
      grow(more);
    }
  }
  [[gnu::noinline]] void grow(std::size_t more) {
    const std::size_t capacity = (size_ + more) * 2 + 64;
    auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    if (size_ > 0) {
      std::memcpy(bytes.get(), bytes_.get(), size_);
    }
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }
  [[gnu::noinline]] void long_number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_[size_++] = static_cast<std::uint8_t>(value | 0x80);
      value >>= 7;
    }
    bytes_[size_++] = static_cast<std::uint8_t>(value);
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class ByteReader {
 public:
  explicit ByteReader(const std::uint8_t* bytes) : next_(bytes) {}

  std::uint8_t byte() { return *next_++; }
  [[gnu::always_inline]] std::uint64_t number() {
    const std::uint64_t value = *next_++;
    return value < 0x80 ? value : long_number(value);
  }
  [[gnu::always_inline]] std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  const std::uint8_t* position() const { return next_; }

 private:
  [[gnu::noinline]] std::uint64_t long_number(std::uint64_t value) {
    value &= 0x7f;
    for (int shift = 7;; shift += 7) {
      const std::uint64_t part = *next_++;
      value |= (part & 0x7f) << shift;
      if (part < 0x80) {
        return value;
      }
    }
  }

  const std::uint8_t* next_;
};

}  // namespace mirrorproof
