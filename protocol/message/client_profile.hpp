#pragma once

#include "protocol/message/message.hpp"

#include <compare>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// What a client can be asked: the part of its capabilities that decides which questions a server may have for it
/// (2026-07-28, `ClientCapabilities`).
struct client_profile {
  /// `elicitation`: forms, also when neither kind is named; and URLs.
  bool form = false;
  bool url = false;
  bool sampling = false;
  /// `sampling.tools` and `sampling.context`.
  bool sampling_tools = false;
  bool sampling_context = false;
  bool roots = false;

  /// Whether nothing can be asked of it.
  bool is_empty() const { return !form && !url && !sampling && !roots; }

  friend auto operator<=>(const client_profile&, const client_profile&) = default;
};

/// Reads it from a `ClientCapabilities` object; what is no object counts as absent.
client_profile read_profile(std::string_view capabilities);

/// The capabilities as a client of the session era declares them in `initialize`: a JSON object with exactly these.
std::string declared_capabilities(const client_profile& profile);

/// What a client must be capable of to be asked that, a question such as `elicitation/create`.
client_profile profile_needed_for(const message& question);

/// Whether a client has all that is needed.
bool covers(const client_profile& can, const client_profile& needed);

/// A short text that differs for different profiles: letters only.
std::string profile_key(const client_profile& profile);

} // namespace troupe::protocol
