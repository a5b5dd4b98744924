#pragma once

#include "net/owned_descriptor.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// A folder for secrets, which one user owns and no other can write to. It is held open, so that its files are read and
/// written in the folder that was checked, whatever its path leads to by then. All functions block; used by one thread
/// at a time.
class private_folder {
public:
  /// The owner that a folder must have: this process's user, or any user, so that root can read a service's folder.
  enum class owner { self, anyone };

  /// Nothing when it is missing, a link, another user's, or writable by others: then `why_not` gets one line with the
  /// path.
  static std::optional<private_folder> open(const std::string& path, std::string& why_not, owner of = owner::self);
  /// The same, but what is missing of the path is made first, with mode 0700.
  static std::optional<private_folder> make(const std::string& path, std::string& why_not);

  const std::string& path() const { return path_; }

  /// The text of a file that nobody but the folder's owner can read; nothing without such a file, and when it is longer
  /// than that.
  std::optional<std::string> read(const std::string& name, std::size_t longest) const;
  /// Puts a file there, with mode 0600, in place of one of that name. Returns why it could not; empty when it could.
  std::string write(const std::string& name, std::string_view text) const;
  void remove(const std::string& name) const;

private:
  private_folder(std::string path, owned_descriptor at) : path_{std::move(path)}, at_{std::move(at)} {}

  std::string path_;
  owned_descriptor at_;
};

} // namespace troupe::net
