#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace troupe::tests {

/// A directory that is removed with the test.
class scratch {
public:
  scratch() {
    std::string name = std::filesystem::temp_directory_path() / "troupe-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  std::string path(const std::string& file = {}) const { return path_ / file; }
  bool has(const std::string& file) const { return std::filesystem::exists(path_ / file); }

private:
  std::filesystem::path path_;
};

} // namespace troupe::tests
