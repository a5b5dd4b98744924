#pragma once

#include <string>

namespace troupe::protocol {

/// What requests of 2026-07-28 share a lease by: whoever has the same key meets the same processes. It is made of what
/// a request is, and anybody can make its text: it is no id, which a client gets from us and shows again.
struct lease_key {
  std::string text = {};

  bool empty() const { return text.empty(); }
  friend bool operator==(const lease_key&, const lease_key&) = default;
  friend auto operator<=>(const lease_key&, const lease_key&) = default;
};

} // namespace troupe::protocol
