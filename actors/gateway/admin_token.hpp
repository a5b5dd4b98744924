#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/troupe/admin_options.hpp"
#include "net/changing_file.hpp"
#include "net/private_folder.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::actors {

/// The token that a gateway makes for its operators when it was given none, and its file, which is removed with it.
/// Used by one thread at a time.
class made_token {
public:
  /// Whether the gateway has to make one for a listener with these options.
  static bool is_needed(const admin_options& options);

  /// For the listener at this address and port. A socket that was handed over keeps the token that its last process had
  /// in the file, which belongs to that process until `own`. Throws `std::runtime_error` with one line when no folder
  /// can have the file.
  made_token(const admin_options& options, const std::string& address, std::uint16_t port);
  ~made_token();
  made_token(const made_token&) = delete;
  made_token& operator=(const made_token&) = delete;

  const made_admin_token& get() const { return token_; }

  /// This process serves from now on: the file ends with this token.
  void own() { is_owned_ = true; }
  /// Another process has the listener, and so the file.
  void leave() { is_owned_ = false; }

private:
  bool adopt(const std::vector<std::string>& folders);
  void put_into_one_of(const std::vector<std::string>& folders);
  void hold(net::private_folder folder);

  std::string name_;
  made_admin_token token_;
  /// The folder of the file, if there is one.
  std::optional<net::private_folder> folder_;
  bool is_owned_ = false;
};

/// The token that operators show, as the options or their file have it now. Used by one thread at a time.
class admin_token {
public:
  /// Throws `std::runtime_error` with one line when the file cannot be used.
  explicit admin_token(const admin_options& options, event_log log = event_log{});

  /// Looks whether the file has changed; one that cannot be used any more changes nothing, which the log tells. Empty
  /// when no token is asked for. Blocks while the file is read.
  const std::string& now();

private:
  event_log log_;
  std::string token_;
  /// None when there is none, or when it cannot be read again, as a pipe.
  std::optional<net::changing_file> file_;
};

} // namespace troupe::actors
