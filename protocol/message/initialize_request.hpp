#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Capabilities that a client declared in `initialize`. The gateway refuses a server's requests that need others
/// (2025-11-25, lifecycle, "Operation").
struct client_capabilities {
  bool sampling = false;
  bool elicitation = false;
  bool roots = false;

  /// Whether a server's request of this method may go to the client; true for methods without a known capability.
  bool allow(std::string_view method) const;
};

/// Reads the capabilities from the text of `initialize`.
client_capabilities read_capabilities(std::string_view initialize);

/// Longest accepted `initialize`, in bytes: its contents are stored for the lifetime of its session.
inline constexpr std::size_t longest_initialize = 64 * 1024;

/// Returns why an `initialize` cannot begin a session: it is too long, or a member is missing, duplicated or of the
/// wrong type. All revisions with sessions agree on the members and their types (2024-11-05 to 2025-11-25, schema,
/// "InitializeRequest"). Nullopt if it can.
std::optional<rejection> refuse_initialize(const message& initialize);

} // namespace troupe::protocol
