#pragma once
// StateSections: a state's bytes, cut into sections. All states of a search have as many, in the same order,
// so that a state can be told by what it has in other words than the state before it.

#include <vector>

#include "model/byte_codec.h"

namespace mirrorproof {

class StateSections {
 public:
  struct Section {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool same = false;  ///< as in the state before; no bytes then
  };

  void restart() {
    bytes_.clear();
    sections_.clear();
    begin_ = 0;
  }
  /// Where the next section is written.
  ByteWriter& bytes() { return bytes_; }
  /// What was written since the last section is one.
  void end_section() {
    sections_.push_back({begin_, bytes_.size(), false});
    begin_ = bytes_.size();
  }
  /// Precondition: nothing was written since the last section.
  void same_section() { sections_.push_back({begin_, begin_, true}); }

  std::size_t size() const { return sections_.size(); }
  const Section& operator[](std::size_t place) const { return sections_[place]; }
  const std::uint8_t* data() const { return bytes_.data(); }

 private:
  ByteWriter bytes_;
  std::vector<Section> sections_;
  std::size_t begin_ = 0;
};

}  // namespace mirrorproof
