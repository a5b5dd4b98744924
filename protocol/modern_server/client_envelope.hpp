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

/// The revision that servers without sessions are spoken to in.
inline constexpr std::string_view modern_version = "2026-07-28";

/// What each request to a server of 2026-07-28 says of its client in `params._meta`, of a client that has said it once,
/// in `initialize` (2026-07-28, `RequestMeta`).
class client_envelope {
public:
  /// Before `initialize`: a client that can be asked nothing.
  client_envelope();
  /// Of the client that sent this. What it can be asked is no more than the revision has that it begins with:
  /// elicitation from 2025-06-18 on; URLs and sampling with tools from 2025-11-25 on.
  explicit client_envelope(const message& initialize);

  /// The least severity of log messages that later requests ask for; nothing when they ask for none.
  void set_level(std::optional<severity> level);
  std::optional<severity> level() const { return level_; }

  /// Whether the client reads 2026-07-28 itself, though it is spoken to in words of the session era.
  bool reads_modern() const { return reads_modern_; }
  const client_profile& can() const { return can_; }
  /// The version that `initialize` is answered with.
  const std::string& session_version() const { return version_; }

  /// A request as the server gets it, under an id of ours. Keys of the envelope are those of this, whatever the request
  /// says; other `_meta` and the progress token stay. `task`, which the server does not know, and what only a retry has
  /// are left out, in whatever letters they are written. `more` is
  /// appended to the params: members with their names, each after a comma.
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

/// The envelope of one of several clients that share a server.
struct user_envelope : client_envelope {
  user_envelope(const message& initialize, std::size_t bytes)
      : client_envelope{initialize}, kept{std::make_shared<byte_budget>(bytes)} {}

  /// For what is kept of its calls. Copies have the same.
  std::shared_ptr<byte_budget> kept;
};

/// Null where there is only one client.
using envelope_of_user = std::shared_ptr<const user_envelope>;

} // namespace troupe::protocol
