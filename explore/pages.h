#pragma once
// Pages: memory straight from the system, zeroed, that goes back to it at once. What a search holds is
// counted in these, so that its count is what the system sees: an allocator keeps what was freed, in pieces.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace mirrorproof::explore {

class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t size) : size_(size) {
    data_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) {
      data_ = nullptr;
      throw std::bad_alloc();
    }
  }
  ~Pages() {
    if (data_ != nullptr) {
      ::munmap(data_, size_);
    }
  }
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(data_); }
  std::uint64_t* words() const { return static_cast<std::uint64_t*>(data_); }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mirrorproof::explore
