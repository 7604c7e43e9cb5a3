#pragma once
// A state as bytes: its sections, either all of them (whole) or only those in which it differs from another
// one (a change). Neighbours in a search have most sections in common: a change is small, and quick to read.

#include <span>
#include <vector>

#include "model/byte_codec.h"
#include "model/state_sections.h"

namespace mirrorproof::explore {

/// Appends a whole state.
template <class SectionAt>
void write_whole(std::size_t sections, SectionAt&& section_at, ByteWriter& out) {
  out.byte(1);
  for (std::size_t i = 0; i < sections; ++i) {
    const std::span<const std::uint8_t> section = section_at(i);
    out.number(section.size());
    out.append(section.data(), section.size());
  }
}

/// The state read last.
class StateBytes {
 public:
  explicit StateBytes(std::size_t sections) : views_(sections), sizes_(sections), hashes_(sections) {}

  /// A whole state, or how it differs from the one read before. `bytes` may go afterwards.
  void read(const std::uint8_t* bytes);
  const std::vector<SectionView>& sections() const { return views_; }
  std::span<const std::uint8_t> section(std::size_t place) const {
    return {views_[place].begin, views_[place].size()};
  }
  /// Fingerprint of a section.
  std::uint64_t hash(std::size_t place);

 private:
  struct Hash {
    std::uint64_t value = 0;
    bool known = false;
  };

  std::vector<SectionView> views_;  // into bytes_
  std::vector<std::size_t> sizes_;
  std::vector<Hash> hashes_;
  ByteWriter bytes_;
  ByteWriter next_;
  bool known_ = false;
};

/// Writes one state after the other, each as a change of the one before.
class StateChain {
 public:
  explicit StateChain(std::size_t sections) : sections_(sections), last_(sections), next_(sections) {}

  /// Appends the state, given as a whole; `whole`: it must be readable without the one before.
  void append(const std::uint8_t* state, std::size_t size, bool whole, ByteWriter& out);

 private:
  std::size_t sections_;
  ByteWriter bytes_;  // of the state before
  std::vector<std::span<const std::uint8_t>> last_;
  std::vector<std::span<const std::uint8_t>> next_;
};

}  // namespace mirrorproof::explore
