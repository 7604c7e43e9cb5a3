#pragma once
// ByteWriter, ByteReader: small numbers as few bytes (LEB128, signed ones in zigzag order). For states that
// this program writes and reads back itself; nothing is validated.

#include <cstdint>
#include <vector>

namespace mirrorproof {

class ByteWriter {
 public:
  void clear() { bytes_.clear(); }
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  void number(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  void integer(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void append(const ByteWriter& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
  }
  const std::uint8_t* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(const std::uint8_t* bytes) : next_(bytes) {}

  std::uint8_t byte() { return *next_++; }
  std::uint64_t number() {
    std::uint64_t value = *next_++;
    if (value < 0x80) {
      return value;
    }
    value &= 0x7f;
    for (int shift = 7;; shift += 7) {
      const std::uint64_t part = *next_++;
      value |= (part & 0x7f) << shift;
      if (part < 0x80) {
        return value;
      }
    }
  }
  std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  const std::uint8_t* position() const { return next_; }

 private:
  const std::uint8_t* next_;
};

}  // namespace mirrorproof
