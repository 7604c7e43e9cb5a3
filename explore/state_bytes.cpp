#include "explore/state_bytes.h"

#include <algorithm>
#include <utility>

#include "explore/state_codec.h"
#include "model/check.h"

namespace mirrorproof::explore {
namespace {

/// The section that begins here, with its size before it.
std::span<const std::uint8_t> next_section(const std::uint8_t*& bytes) {
  ByteReader reader(bytes);
  const auto size = static_cast<std::size_t>(reader.number());
  const std::span<const std::uint8_t> section(reader.position(), size);
  bytes = reader.position() + size;
  return section;
}

bool same(std::span<const std::uint8_t> left, std::span<const std::uint8_t> right) {
  return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin());
}

bool bit(const std::uint8_t* mask, std::size_t place) {
  return (mask[place / 8] >> (place % 8) & 1U) != 0;
}

}  // namespace

void StateBytes::read(const std::uint8_t* bytes) {
  const bool whole = *bytes++ == 1;
  MP_CHECK(whole || known_, "a change without the state it changes");
  const std::uint8_t* mask = bytes;
  bytes += whole ? 0 : (views_.size() + 7) / 8;
  next_.clear();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    bool changed = whole || bit(mask, i);
    const std::span<const std::uint8_t> was = section(i);
    const std::span<const std::uint8_t> now = changed ? next_section(bytes) : was;
    changed = changed && !(known_ && same(was, now));
    next_.append(now.data(), now.size());
    hashes_[i].known = hashes_[i].known && !changed;
    views_[i].changed = changed;
    sizes_[i] = now.size();
  }
  std::swap(bytes_, next_);
  const std::uint8_t* begin = bytes_.data();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    views_[i].begin = begin;
    begin += sizes_[i];
    views_[i].end = begin;
  }
  known_ = true;
}

std::uint64_t StateBytes::hash(std::size_t place) {
  Hash& hash = hashes_[place];
  if (!hash.known) {
    hash = {fingerprint(views_[place].begin, views_[place].size()), true};
  }
  return hash.value;
}

void StateChain::append(const std::uint8_t* state, std::size_t size, bool whole, ByteWriter& out) {
  const std::uint8_t* next = state + 1;
  for (std::size_t i = 0; i < sections_; ++i) {
    next_[i] = next_section(next);
  }
  MP_CHECK(next == state + size, "a state has as many bytes as its sections");
  if (whole) {
    out.append(state, size);
  } else {
    out.byte(0);
    for (std::size_t i = 0; i < sections_; i += 8) {
      std::uint8_t mask = 0;
      for (std::size_t j = i; j < std::min(sections_, i + 8); ++j) {
        mask = static_cast<std::uint8_t>(mask | (same(last_[j], next_[j]) ? 0U : 1U << (j - i)));
      }
      out.byte(mask);
    }
    for (std::size_t i = 0; i < sections_; ++i) {
      if (!same(last_[i], next_[i])) {
        out.number(next_[i].size());
        out.append(next_[i].data(), next_[i].size());
      }
    }
  }
  bytes_.clear();
  bytes_.append(state, size);
  for (std::size_t i = 0; i < sections_; ++i) {
    last_[i] = {bytes_.data() + (next_[i].data() - state), next_[i].size()};
  }
}

}  // namespace mirrorproof::explore
