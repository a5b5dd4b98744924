#pragma once

#include "protocol/oauth/login_token.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace troupe::deploy {

/// File with the user's login at one server: private to the user (0600, in a folder of 0700), replaced atomically. A
/// lock file lets one program at a time log in. Blocks for as long as a small file takes.
class login_file {
public:
  /// Uses the folder `$XDG_STATE_HOME/troupe`, or `~/.local/state/troupe`.
  login_file(const std::string& server_url, const std::string& client_id);
  ~login_file();
  login_file(const login_file&) = delete;
  login_file& operator=(const login_file&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::optional<protocol::kept_login> read() const;
  /// Replaces the file. Returns the reason of a failure; empty on success.
  std::string write(const protocol::kept_login& login) const;
  /// Removes the file. Returns whether there was one.
  bool forget() const;

  /// Takes the lock. Returns false while another program has it; true also where no lock is possible.
  bool lock();
  void unlock();

private:
  std::filesystem::path path_;
  int locked_ = -1;
};

} // namespace troupe::deploy
