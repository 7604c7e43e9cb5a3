#pragma once
// Problems as the passes over a scenario find them: by JSON pointer. The loader turns pointers into lines and
// columns.

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace mirrorproof::scenarios {

struct PointedProblem {
  std::string pointer;
  bool at_name = false;  ///< the name of the field is wrong, not its value
  std::string found;
  std::string expected;
};

/// Keeps the first kMaxProblems and counts the rest: a hostile file does not get to fill the memory.
class Problems {
 public:
  void add(std::string pointer, std::string found, std::string expected) {
    add({std::move(pointer), false, std::move(found), std::move(expected)});
  }
  void add_at_name(std::string pointer, std::string found, std::string expected) {
    add({std::move(pointer), true, std::move(found), std::move(expected)});
  }
  void add(PointedProblem problem) {
    if (list_.size() < kMaxProblems) {
      list_.push_back(std::move(problem));
    } else {
      ++left_out_;
    }
  }
  const std::vector<PointedProblem>& list() const { return list_; }
  std::size_t left_out() const { return left_out_; }
  std::size_t count() const { return list_.size() + left_out_; }
  bool empty() const { return list_.empty(); }

 private:
  std::vector<PointedProblem> list_;
  std::size_t left_out_ = 0;
};

/// `pointer` extended by one reference token (~ and / escaped).
std::string child_pointer(const std::string& pointer, std::string_view name);
std::string child_pointer(const std::string& pointer, std::size_t index);

}  // namespace mirrorproof::scenarios
