#include "explore/visited_set.h"

#include <algorithm>

namespace mirrorproof::explore {
namespace {

/// A page.
constexpr std::size_t kFirstCapacity = 512;

/// 0 marks a free slot.
std::uint64_t stored(std::uint64_t fingerprint) {
  return fingerprint == 0 ? 1 : fingerprint;
}

}  // namespace

VisitedSet::VisitedSet() {
  for (Segment& segment : segments_) {
    segment.capacity = kFirstCapacity;
    segment.pages = Pages(kFirstCapacity * sizeof(std::uint64_t));
    segment.slots = segment.pages.words();
    bytes_ += kFirstCapacity * sizeof(std::uint64_t);
  }
}

/// The segment is chosen by the highest byte, the place by the bits below it.
std::size_t VisitedSet::home(const Segment& segment, std::uint64_t fingerprint) {
  const std::uint64_t part = (fingerprint >> 16) & 0xffffffffULL;
  return static_cast<std::size_t>((part * segment.capacity) >> 32);
}

bool VisitedSet::contains(std::uint64_t fingerprint) const {
  const std::uint64_t wanted = stored(fingerprint);
  const Segment& segment = segments_[wanted >> 56];
  std::size_t place = home(segment, wanted);
  while (segment.slots[place] != 0) {
    if (segment.slots[place] == wanted) {
      return true;
    }
    place = place + 1 == segment.capacity ? 0 : place + 1;
  }
  return false;
}

void VisitedSet::put(Segment& segment, std::uint64_t fingerprint) {
  std::size_t place = home(segment, fingerprint);
  while (segment.slots[place] != 0) {
    place = place + 1 == segment.capacity ? 0 : place + 1;
  }
  segment.slots[place] = fingerprint;
  segment.used += 1;
}

void VisitedSet::grow(Segment& segment) {
  Segment larger;
  larger.capacity = grown(segment.capacity);
  larger.pages = Pages(larger.capacity * sizeof(std::uint64_t));
  larger.slots = larger.pages.words();
  for (std::size_t i = 0; i < segment.capacity; ++i) {
    if (segment.slots[i] != 0) {
      put(larger, segment.slots[i]);
    }
  }
  bytes_ += (larger.capacity - segment.capacity) * sizeof(std::uint64_t);
  segment = std::move(larger);
}

bool VisitedSet::insert(std::uint64_t fingerprint) {
  if (contains(fingerprint)) {
    return false;
  }
  const std::uint64_t wanted = stored(fingerprint);
  Segment& segment = segments_[wanted >> 56];
  if (full(segment, 1)) {
    grow(segment);
  }
  put(segment, wanted);
  size_ += 1;
  return true;
}

std::size_t VisitedSet::bytes_to_insert(std::size_t count) const {
  // Fingerprints spread evenly; a segment may get a few more than its share.
  const std::size_t each = count / kSegments + count / kSegments / 4 + 16;
  std::size_t more = 0;
  std::size_t largest = 0;
  for (const Segment& segment : segments_) {
    std::size_t capacity = segment.capacity;
    while ((segment.used + each) * 5 > capacity * 4) {
      capacity = grown(capacity);
    }
    more += (capacity - segment.capacity) * sizeof(std::uint64_t);
    largest = std::max(largest, capacity * sizeof(std::uint64_t));
  }
  return more == 0 ? 0 : more + largest;
}

}  // namespace mirrorproof::explore
