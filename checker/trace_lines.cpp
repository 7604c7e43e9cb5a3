#include "checker/trace_lines.h"

#include <algorithm>
#include <cstring>

namespace mirrorproof::checker {
namespace {
constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
}  // namespace

bool TraceLines::fill() {
  if (exhausted_ || broken_) {
    return false;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + kChunkBytes) {
    buffer_.resize(std::max(buffer_.size() * 2, end_ + kChunkBytes));
  }
  if (!in_.good() && !in_.eof()) {
    broken_ = true;
    return false;
  }
  try {
    in_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
  } catch (...) {
    // A stream set to throw passes on whatever its buffer threw. It says so in its state too, which is looked
    // at below.
  }
  const auto count = static_cast<std::size_t>(in_.gcount());
  end_ += count;
  broken_ = in_.bad();
  exhausted_ = !in_.good();
  return count > 0;
}

TraceLines::Status TraceLines::next(std::string_view& line) {
  std::size_t looked_at = begin_;
  while (true) {
    const void* newline =
        end_ > looked_at ? std::memchr(buffer_.data() + looked_at, '\n', end_ - looked_at) : nullptr;
    if (newline != nullptr) {
      const auto stop = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data());
      if (stop - begin_ > max_line_bytes_) {
        return Status::too_long;
      }
      line = std::string_view(buffer_.data() + begin_, stop - begin_);
      begin_ = stop + 1;
      return Status::line;
    }
    if (end_ - begin_ > max_line_bytes_) {
      return Status::too_long;
    }
    const std::size_t pending = end_ - begin_;
    if (!fill()) {
      if (broken_) {
        return Status::failed;
      }
      if (end_ == begin_) {
        return Status::end;
      }
      line = std::string_view(buffer_.data() + begin_, end_ - begin_);
      begin_ = end_;
      return Status::line;
    }
    looked_at = begin_ + pending;
  }
}

}  // namespace mirrorproof::checker
