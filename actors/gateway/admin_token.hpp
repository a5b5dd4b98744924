#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/troupe/admin_options.hpp"
#include "net/private_folder.hpp"
#include "net/watched_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::actors {

/// Token that a gateway makes for its operators if none is configured, and the token's file; the destructor removes the
/// file. For one thread at a time.
class generated_token {
public:
  /// True if a listener with these options needs a made token.
  static bool is_needed(const admin_options& options);

  /// Makes the token for a listener at this address and port. A socket that was handed over keeps the token in the file
  /// of the older process, which owns the file until `own`. Throws `std::runtime_error` with one line if no folder can
  /// hold the file.
  generated_token(const admin_options& options, const std::string& address, std::uint16_t port);
  ~generated_token();
  generated_token(const generated_token&) = delete;
  generated_token& operator=(const generated_token&) = delete;

  const made_admin_token& get() const { return token_; }

  /// Takes ownership of the file: this process serves from now on.
  void own() { is_owned_ = true; }
  /// Gives up the file: another process has the listener.
  void leave() { is_owned_ = false; }

private:
  bool adopt(const std::vector<std::string>& folders);
  void put_into_one_of(const std::vector<std::string>& folders);
  void hold(net::private_folder folder);

  std::string name_;
  made_admin_token token_;
  /// Folder of the file, if there is one.
  std::optional<net::private_folder> folder_;
  bool is_owned_ = false;
};

/// Token that operators send, from the options or their file, re-read on change. For one thread at a time.
class admin_token {
public:
  /// Throws `std::runtime_error` with one line if the file cannot be used.
  explicit admin_token(const admin_options& options, event_log log = event_log{});

  /// Returns the token after a check whether the file has changed. A file that became unusable is logged and ignored.
  /// Empty if no token is required. Blocks while the file is read.
  const std::string& now();

private:
  event_log log_;
  std::string token_;
  /// Token file; none if there is no file, or if it cannot be read again, such as a pipe.
  std::optional<net::watched_file> file_;
};

} // namespace troupe::actors
