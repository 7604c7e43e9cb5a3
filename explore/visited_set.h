#pragma once
// VisitedSet: fingerprints of the states seen so far, in open addressing. Cut into segments that grow one
// after the other, so that growing never needs much more memory than there is.
//
// Written by one thread; while it does not write, any number may ask.

#include <array>
#include <cstddef>
#include <cstdint>

#include "explore/pages.h"

namespace mirrorproof::explore {

class VisitedSet {
 public:
  VisitedSet();

  bool contains(std::uint64_t fingerprint) const;
  /// False: it was there. Precondition: may_insert().
  bool insert(std::uint64_t fingerprint);

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return bytes_; }
  /// Bytes that inserting `count` more may add, at most, while segments grow.
  std::size_t bytes_to_insert(std::size_t count) const;

 private:
  static constexpr std::size_t kSegments = 256;

  struct Segment {
    Pages pages;
    std::uint64_t* slots = nullptr;  // 0: free
    std::size_t capacity = 0;
    std::size_t used = 0;
  };

  static std::size_t home(const Segment& segment, std::uint64_t fingerprint);
  static void put(Segment& segment, std::uint64_t fingerprint);
  static std::size_t grown(std::size_t capacity) { return capacity + capacity / 2; }
  static bool full(const Segment& segment, std::size_t more) {
    return (segment.used + more) * 5 > segment.capacity * 4;
  }
  void grow(Segment& segment);

  std::array<Segment, kSegments> segments_;
  std::uint64_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace mirrorproof::explore
