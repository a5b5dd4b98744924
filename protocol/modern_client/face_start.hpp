#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/face_requests.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// How a server of the session era begins: `initialize`, once somebody needs it, and what it answered.
class face_start {
public:
  /// Asks the server, unless that was done.
  void begin(const client_profile& can, std::string_view gateway_version, face_requests& ours, stateless_effects& out);
  /// The answer to `initialize`. Why the server cannot be used; nothing when it can.
  std::optional<std::string> take_answer(const message& answer, stateless_effects& out);
  /// The server has to be asked again.
  void server_lost();

  bool is_ready() const { return is_ == phase::ready; }
  /// Whether the server is of 2026-07-28 itself, and takes requests as they are.
  bool is_modern() const { return is_modern_; }
  bool has_tools() const { return has_tools_; }
  bool has_logging() const { return has_logging_; }
  /// The server's, a JSON object.
  const std::string& capabilities() const { return capabilities_; }
  /// The server's, a JSON object; empty when it gave none.
  const std::string& server_info() const { return server_info_; }
  /// The result of `server/discover`.
  give_answer discovery(exchange_id exchange, const message& request) const;

private:
  enum class phase { none, asked, ready };

  phase is_ = phase::none;
  std::string capabilities_ = "{}";
  std::string server_info_;
  /// A JSON string; empty when it gave none.
  std::string instructions_;
  bool is_modern_ = false;
  bool has_tools_ = false;
  bool has_logging_ = false;
};

} // namespace troupe::protocol
