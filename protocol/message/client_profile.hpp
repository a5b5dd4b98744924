#pragma once

#include "protocol/message/message.hpp"

#include <compare>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Kinds of server requests that a client can answer: the part of its capabilities that decides which ones a server may
/// send (2026-07-28, `ClientCapabilities`).
struct client_profile {
  /// `elicitation`: forms, also if the client names neither kind; and URLs.
  bool form = false;
  bool url = false;
  bool sampling = false;
  /// `sampling.tools` and `sampling.context`.
  bool sampling_tools = false;
  bool sampling_context = false;
  bool roots = false;

  /// Whether the client can answer none of these requests.
  bool is_empty() const { return !form && !url && !sampling && !roots; }

  friend auto operator<=>(const client_profile&, const client_profile&) = default;
};

/// Reads a profile from a `ClientCapabilities` object; values that are no objects count as absent.
client_profile read_profile(std::string_view capabilities);

/// Builds the capabilities as a session-era client declares them in `initialize`: a JSON object with exactly these.
std::string declared_capabilities(const client_profile& profile);

/// Returns the capabilities that a client needs for a server's request such as `elicitation/create`.
client_profile profile_needed_for(const message& question);

/// Whether a client has all needed capabilities.
bool covers(const client_profile& can, const client_profile& needed);

/// Returns a short text of letters that differs for different profiles.
std::string profile_key(const client_profile& profile);

} // namespace troupe::protocol
