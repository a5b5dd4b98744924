#pragma once

#include "protocol/message/initialize_request.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a client and its server agree on by `initialize`, and how far they have come (2025-11-25, lifecycle,
/// "Initialization"): the revision, what a server may ask of the client, and whether the client is initialized.
class agreement {
public:
  // -- how it comes about
  /// The client's `initialize`, as the server is to get it: it is never asked for a revision that we do not know.
  message begin(message initialize);
  /// The kept `initialize` of a session that is restored, for its new server. Asks for the revision that the client
  /// speaks already, whatever it once asked for.
  message begin_again(std::string initialize, std::string version);
  /// The server's answer to either `initialize`. Returns why the session cannot begin; nothing when it can.
  std::optional<std::string> answered(const message& answer);
  /// The client has said `notifications/initialized`.
  void client_initialized() { initialized_ = true; }

  // -- what it allows
  /// Why messages cannot be sent together, or not now; nothing when they can.
  std::optional<rejection> refuse(const post_body& body) const;
  /// Whether a request of the client is too early.
  bool is_too_early(const message& from_client) const;
  /// Whether a message of the server must wait. Servers ask nothing before `notifications/initialized`.
  bool must_wait(const message& from_server) const;
  /// Whether a server's request of this method may go to the client. Every method may until the client has declared its
  /// capabilities.
  bool allows(std::string_view method) const { return stage_ == stage::none || capabilities_.allow(method); }

  /// Nobody has asked for it.
  bool is_fresh() const { return stage_ == stage::none; }
  /// The server has not answered yet.
  bool is_under_way() const { return stage_ == stage::asked || stage_ == stage::asked_again; }
  bool is_reached() const { return stage_ == stage::reached; }
  const std::string& version() const { return version_; }

private:
  enum class stage : std::uint8_t { none, asked, asked_again, reached };

  std::string version_;
  stage stage_ = stage::none;
  bool initialized_ = false;
  client_capabilities capabilities_;
};

} // namespace troupe::protocol
