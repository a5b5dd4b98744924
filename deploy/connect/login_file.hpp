#pragma once

#include "protocol/oauth/kept_login.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace troupe::deploy {

/// The file in which the user's login at one server is kept: for the user alone (0600, in a folder of 0700), replaced
/// as a whole. Programs take turns by a lock. Blocks for as long as a small file takes.
class login_file {
public:
  /// Below `$XDG_STATE_HOME/troupe`, or `~/.local/state/troupe`.
  login_file(const std::string& server_url, const std::string& client_id);
  ~login_file();
  login_file(const login_file&) = delete;
  login_file& operator=(const login_file&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::optional<protocol::kept_login> read() const;
  /// Gives why it could not be written; empty when it was.
  std::string write(const protocol::kept_login& login) const;
  /// Whether there was one.
  bool forget() const;

  /// False while another program has the lock. True where there can be none.
  bool lock();
  void unlock();

private:
  std::filesystem::path path_;
  int locked_ = -1;
};

} // namespace troupe::deploy
