#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The capabilities that a client declared in `initialize`. Requests of a server that need others are refused by the
/// gateway (2025-11-25, lifecycle, "Operation").
struct client_capabilities {
  bool sampling = false;
  bool elicitation = false;
  bool roots = false;

  /// Whether a server's request of this method may go to the client. Methods without a known capability may.
  bool allow(std::string_view method) const;
};

/// Reads the capabilities from the text of `initialize`.
client_capabilities read_capabilities(std::string_view initialize);

/// Longest `initialize` that is taken, in bytes: what it says is kept for as long as its session lives.
inline constexpr std::size_t longest_initialize = 64 * 1024;

/// Why an `initialize` cannot begin a session: it is too long, or a member is missing, of the wrong type or there
/// twice. All revisions with sessions agree on the members and their types (2024-11-05 to 2025-11-25, schema,
/// "InitializeRequest"). Nothing when it can.
std::optional<rejection> refuse_initialize(const message& initialize);

} // namespace troupe::protocol
