#pragma once

namespace troupe::protocol {

/// Which era a server is spoken to in.
enum class server_era {
  /// Found out, or not known.
  automatic,
  /// That of sessions, which begin with `initialize`.
  session,
  /// 2026-07-28 and later.
  stateless
};

} // namespace troupe::protocol
