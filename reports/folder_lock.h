#pragma once
// FolderLock: keeps two programs from writing into one folder at the same time. The lock ends with the
// program, however that ends; nothing is left behind in the folder.

#include <string>

namespace mirrorproof::reports {

class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Somebody else has it. A file system that knows no locks counts as free.
  bool taken_by_another() const { return taken_; }

 private:
  int file_ = -1;
  bool taken_ = false;
};

}  // namespace mirrorproof::reports
