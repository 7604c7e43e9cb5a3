#pragma once
// Frontier: the states of one level that wait for their turn, as bytes in large blocks, first in, first out.
// StateLinks: how each state was reached first.

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

namespace mirrorproof::explore {

class Frontier {
 public:
  void push(const std::uint8_t* bytes, std::size_t size) {
    const std::size_t needed = size + sizeof(std::uint32_t);
    if (blocks_.empty() || blocks_.back().used + needed > blocks_.back().capacity) {
      Block& block = blocks_.emplace_back();
      block.capacity = needed > kBlock ? needed : kBlock;
      block.bytes = std::make_unique_for_overwrite<std::uint8_t[]>(block.capacity);
      bytes_ += block.capacity;
    }
    Block& block = blocks_.back();
    const auto length = static_cast<std::uint32_t>(size);
    std::memcpy(block.bytes.get() + block.used, &length, sizeof(length));
    std::memcpy(block.bytes.get() + block.used + sizeof(length), bytes, size);
    block.used += needed;
    size_ += 1;
  }

  /// Up to `count` states from the front; they stay valid until forget().
  void take(std::size_t count, std::vector<const std::uint8_t*>& out) {
    out.clear();
    while (out.size() < count && size_ > 0) {
      Block& block = blocks_[taken_blocks_];
      if (block.read == block.used) {
        taken_blocks_ += 1;
        continue;
      }
      std::uint32_t length = 0;
      std::memcpy(&length, block.bytes.get() + block.read, sizeof(length));
      out.push_back(block.bytes.get() + block.read + sizeof(length));
      block.read += length + sizeof(length);
      size_ -= 1;
    }
  }
  /// Frees the blocks that were taken whole.
  void forget() {
    for (; taken_blocks_ > 0; --taken_blocks_) {
      bytes_ -= blocks_.front().capacity;
      blocks_.pop_front();
    }
  }

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18;
  struct Block {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t capacity = 0;
    std::size_t used = 0;
    std::size_t read = 0;
  };

  std::deque<Block> blocks_;
  std::size_t taken_blocks_ = 0;
  std::uint64_t size_ = 0;
  std::size_t bytes_ = 0;
};

/// Eight bytes per state: the number of the state before it, and which of its moves led here.
class StateLinks {
 public:
  struct Link {
    std::uint64_t parent = 0;
    std::uint32_t move = 0;
  };

  void push(std::uint64_t parent, std::uint32_t move) {
    if (size_ % kBlock == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<std::uint64_t[]>(kBlock));
    }
    blocks_.back()[size_ % kBlock] = parent << 16 | move;
    size_ += 1;
  }
  Link at(std::uint64_t state) const {
    const std::uint64_t packed = blocks_[state / kBlock][state % kBlock];
    return {packed >> 16, static_cast<std::uint32_t>(packed & 0xffff)};
  }
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return blocks_.size() * kBlock * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 15;
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
  std::uint64_t size_ = 0;
};

}  // namespace mirrorproof::explore
