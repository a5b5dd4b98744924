#pragma once

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

} // namespace troupe::protocol
