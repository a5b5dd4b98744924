#pragma once

#include "protocol/message/initialize_request.hpp"
#include "protocol/message/message.hpp"
#include "protocol/rejection.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Result of `initialize` between a client and its server, and its progress (2025-11-25, lifecycle, "Initialization"):
/// the revision, the client's capabilities, and whether the client is initialized.
class agreement {
public:
  // -- negotiation
  /// Takes the client's `initialize`. Returns it for the server, with a known revision instead of an unknown one.
  message begin(message initialize);
  /// Takes the recorded `initialize` of a restored session, and returns it for the new server. It asks for the revision
  /// in use, not for the one that the client first asked for.
  message begin_again(std::string initialize, std::string version);
  /// Takes the server's answer to either `initialize`. Returns why the session cannot begin; empty if it can.
  std::optional<std::string> answered(const message& answer);
  /// The client has sent `notifications/initialized`.
  void client_initialized() { initialized_ = true; }

  // -- rules that follow
  /// Returns why the messages of a POST cannot be accepted together, or not now; empty if they can.
  std::optional<rejection> refuse(const post_body& body) const;
  /// True if a client's request precedes `initialize` or the server's answer to it.
  bool is_too_early(const message& from_client) const;
  /// True if a message of the server must wait. Servers send no requests before `notifications/initialized`.
  bool must_wait(const message& from_server) const;
  /// True if a server's request of this method may go to the client. Every method may until the client has declared its
  /// capabilities.
  bool allows(std::string_view method) const { return stage_ == stage::none || capabilities_.allow(method); }

  /// True before `initialize`.
  bool is_fresh() const { return stage_ == stage::none; }
  /// True until the server has answered `initialize`.
  bool is_under_way() const { return stage_ == stage::asked || stage_ == stage::asked_again; }
  /// True until the new server of a restored session has answered `initialize`.
  bool begins_again() const { return stage_ == stage::asked_again; }
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
