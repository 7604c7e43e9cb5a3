#pragma once
// Tracked: a small_vector that knows which of its elements may have been changed. Whoever gets a reference to
// an element that is not const counts as having changed it. An exhaustive search restores and writes down
// only what a move touched; nobody else needs to know.

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <utility>

namespace mirrorproof::sim {

/// At most 32 elements.
template <class T, std::size_t N>
class Tracked {
 public:
  T& operator[](std::size_t place) {
    touched_ |= 1U << place;
    return elements_[place];
  }
  const T& operator[](std::size_t place) const { return elements_[place]; }
  /// For who changes parts of the element that keep track of themselves.
  T& untouched(std::size_t place) { return elements_[place]; }

  auto begin() { return touch_all().begin(); }
  auto end() { return elements_.end(); }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }
  std::size_t size() const { return elements_.size(); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    touched_ |= 1U << elements_.size();
    return elements_.emplace_back(std::forward<Arguments>(arguments)...);
  }

  /// Bit set of places, since forget_touched().
  std::uint32_t touched() const { return touched_; }
  void forget_touched() { touched_ = 0; }

  friend bool operator==(const Tracked& a, const Tracked& b) { return a.elements_ == b.elements_; }

 private:
  boost::container::small_vector<T, N>& touch_all() {
    touched_ = ~std::uint32_t{0};
    return elements_;
  }

  boost::container::small_vector<T, N> elements_;
  std::uint32_t touched_ = ~std::uint32_t{0};
};

}  // namespace mirrorproof::sim
