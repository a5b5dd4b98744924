#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Revision spoken to servers without sessions.
inline constexpr std::string_view modern_version = "2026-07-28";

/// Description of a client that each request to a stateless (2026-07-28) server carries in `params._meta`. The client
/// itself sent it only once, in `initialize` (2026-07-28, `RequestMeta`).
class client_envelope {
public:
  /// Before `initialize`: a client without capabilities.
  client_envelope();
  /// Describes the client that sent `initialize`. Capabilities are limited to those of its protocol version:
  /// elicitation from 2025-06-18 on; URLs and sampling with tools from 2025-11-25 on.
  explicit client_envelope(const message& initialize);

  /// Sets the least severity of log messages that later requests ask for; empty for none.
  void set_level(std::optional<severity> level);
  std::optional<severity> level() const { return level_; }

  /// True if the client itself reads 2026-07-28, though it is spoken to in session-era words.
  bool reads_modern() const { return reads_modern_; }
  const client_profile& can() const { return can_; }
  /// Protocol version in the answer to `initialize`.
  const std::string& session_version() const { return version_; }

  /// Returns a request for the server under our id. Its envelope keys are replaced by ours; other `_meta` and the
  /// progress token stay. Removes `task`, which the server does not know, and the members of retries, in any spelling.
  /// `more` is appended to the params: members with their names, each after a comma.
  message addressed(const message& request, std::string_view id, std::string_view more = {}) const;

private:
  std::string params_of(const message& request, std::string_view more) const;
  void append_meta(std::string& to, std::string_view meta) const;

  client_profile can_;
  std::string version_;
  /// Members of `_meta`, without braces.
  std::string members_;
  std::optional<severity> level_;
  bool reads_modern_ = false;
};

/// Envelope of one of several clients that share a server.
struct user_envelope : client_envelope {
  user_envelope(const message& initialize, std::size_t bytes)
      : client_envelope{initialize}, kept{std::make_shared<byte_budget>(bytes)} {}

  /// Byte budget for its stored calls, shared by copies.
  std::shared_ptr<byte_budget> kept;
};

/// Null if there is only one client.
using envelope_of_user = std::shared_ptr<const user_envelope>;

} // namespace troupe::protocol
