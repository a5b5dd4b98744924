#pragma once

#include "net/owned_descriptor.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// Folder for secrets, owned by one user and writable by no other. The folder is held open: files are read and written
/// in the folder that was checked, wherever its path leads by then. All functions block. Used by one thread at a time.
class private_folder {
public:
  /// The owner that a folder must have: this process's user, or any user, so that root can read a service's folder.
  enum class owner { self, anyone };

  /// Opens a folder. Returns nullopt if it is missing, a link, another user's, or writable by others; then `why_not`
  /// gets one line with the path.
  static std::optional<private_folder> open(const std::string& path, std::string& why_not, owner of = owner::self);
  /// Opens a folder as `open` does, but first makes missing parts of the path, with mode 0700.
  static std::optional<private_folder> make(const std::string& path, std::string& why_not);

  const std::string& path() const { return path_; }

  /// Returns the text of a file that only the folder's owner can read; nullopt without such a file, or if it is longer
  /// than `longest` bytes.
  std::optional<std::string> read(const std::string& name, std::size_t longest) const;
  /// Writes a file with mode 0600, replacing any file of that name. Returns why it failed; empty on success.
  std::string write(const std::string& name, std::string_view text) const;
  void remove(const std::string& name) const;

private:
  private_folder(std::string path, owned_descriptor at) : path_{std::move(path)}, at_{std::move(at)} {}

  std::string path_;
  owned_descriptor at_;
};

/// Replaces a file in any folder, or makes it, with mode 0600: readers, also after a crash, find the old text or the
/// new one. Returns why it failed; empty on success. Blocks.
std::string replace_file(const std::string& path, std::string_view text);

} // namespace troupe::net
