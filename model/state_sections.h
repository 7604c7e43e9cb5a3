#pragma once
// StateSections: a state's bytes, cut into sections. All states of a search have as many, in the same order,
// so that a state can be told by what it has in other words than the state before it.

#include <span>
#include <vector>

#include "model/byte_codec.h"

namespace mirrorproof {

/// One section of a whole state.
struct SectionView {
  const std::uint8_t* begin = nullptr;
  const std::uint8_t* end = nullptr;
  bool changed = true;  ///< differs from the state read before

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

class StateSections {
 public:
  void restart() {
    bytes_.clear();
    ends_.clear();
    same_.clear();
  }
  /// Where the next section is written.
  ByteWriter& bytes() { return bytes_; }
  /// What was written since the last section is one.
  void end_section() {
    ends_.push_back(bytes_.size());
    same_.push_back(false);
  }
  /// The next section is as in the state before: no bytes. Precondition: none were written.
  void same_section() {
    ends_.push_back(bytes_.size());
    same_.push_back(true);
  }

  std::size_t size() const { return ends_.size(); }
  bool same(std::size_t place) const { return same_[place] != 0; }
  std::span<const std::uint8_t> bytes_of(std::size_t place) const {
    const std::size_t begin = place == 0 ? 0 : ends_[place - 1];
    return {bytes_.data() + begin, ends_[place] - begin};
  }

 private:
  ByteWriter bytes_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint8_t> same_;
};

}  // namespace mirrorproof
