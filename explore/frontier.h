#pragma once
// Frontier: the states of one level that wait for their turn, as bytes in large blocks, first in, first out.
// StateLinks: how each state was reached first.

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "explore/pages.h"

namespace mirrorproof::explore {

/// Blocks for one level after the other: touching fresh memory costs more than what is done with it.
class BlockPool {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 18;

  /// A block of at least so many bytes.
  Pages take(std::size_t needed) {
    if (needed <= kBlock && !free_.empty()) {
      Pages block = std::move(free_.back());
      free_.pop_back();
      return block;
    }
    Pages block(needed > kBlock ? needed : kBlock);
    bytes_ += block.size();
    return block;
  }
  void give_back(Pages block) {
    if (block.size() == kBlock) {
      free_.push_back(std::move(block));
    } else {
      bytes_ -= block.size();
    }
  }
  /// Of all blocks, those in use and the others.
  std::size_t bytes() const { return bytes_; }
  std::size_t free_bytes() const { return free_.size() * kBlock; }

 private:
  std::vector<Pages> free_;
  std::size_t bytes_ = 0;
};

class Frontier {
 public:
  /// The pool must outlive the frontier.
  explicit Frontier(BlockPool& pool) : pool_(&pool) {}

  void push(const std::uint8_t* bytes, std::size_t size) {
    const std::size_t needed = size + sizeof(std::uint32_t);
    if (blocks_.empty() || blocks_.back().used + needed > blocks_.back().pages.size()) {
      blocks_.push_back({pool_->take(needed), 0, 0});
    }
    Block& block = blocks_.back();
    const auto length = static_cast<std::uint32_t>(size);
    std::memcpy(block.pages.bytes() + block.used, &length, sizeof(length));
    std::memcpy(block.pages.bytes() + block.used + sizeof(length), bytes, size);
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
      std::memcpy(&length, block.pages.bytes() + block.read, sizeof(length));
      out.push_back(block.pages.bytes() + block.read + sizeof(length));
      block.read += length + sizeof(length);
      size_ -= 1;
    }
  }
  /// Gives the blocks back that were taken whole; with nothing left, all of them.
  void forget() {
    for (taken_blocks_ = size_ == 0 ? blocks_.size() : taken_blocks_; taken_blocks_ > 0; --taken_blocks_) {
      pool_->give_back(std::move(blocks_.front().pages));
      blocks_.pop_front();
    }
  }

  std::uint64_t size() const { return size_; }

 private:
  struct Block {
    Pages pages;
    std::size_t used = 0;
    std::size_t read = 0;
  };

  BlockPool* pool_;
  std::deque<Block> blocks_;
  std::size_t taken_blocks_ = 0;
  std::uint64_t size_ = 0;
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
      blocks_.emplace_back(kBlock * sizeof(std::uint64_t));
    }
    blocks_.back().words()[size_ % kBlock] = parent << 16 | move;
    size_ += 1;
  }
  Link at(std::uint64_t state) const {
    const std::uint64_t packed = blocks_[state / kBlock].words()[state % kBlock];
    return {packed >> 16, static_cast<std::uint32_t>(packed & 0xffff)};
  }
  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return blocks_.size() * kBlock * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 15;
  std::vector<Pages> blocks_;
  std::uint64_t size_ = 0;
};

}  // namespace mirrorproof::explore
