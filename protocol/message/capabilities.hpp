#pragma once

#include <string_view>

namespace troupe::protocol {

/// What a client declared at `initialize` that a server may ask of it. A server that asks for more is answered by the
/// gateway (2025-11-25, lifecycle, "Operation").
struct client_capabilities {
  bool sampling = false;
  bool elicitation = false;
  bool roots = false;

  /// Whether a server's request of this method may be put to the client. Methods that no capability is known for may.
  bool allow(std::string_view method) const;
};

/// Reads them from the text of `initialize`.
client_capabilities read_capabilities(std::string_view initialize);

} // namespace troupe::protocol
