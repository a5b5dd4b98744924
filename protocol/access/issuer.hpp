#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Where the metadata of an issuer may be, in the order in which it is looked for (RFC 8414, 3.1; OpenID Connect
/// Discovery 1.0, 4; 2025-11-25, authorization, "Authorization Server Metadata Discovery").
std::vector<std::string> metadata_urls(std::string_view issuer);

/// Whether a URL is at the host and port of one that the operator or the user has named: other ports of the same host
/// are other services.
bool is_at_named_place(const std::string& url, const std::string& named);

/// What an issuer says of itself.
struct issuer_metadata {
  std::string keys_url;
  /// Empty when it has none.
  std::string introspection_url = {};
  std::string token_url = {};
  friend bool operator==(const issuer_metadata&, const issuer_metadata&) = default;
};

/// Reads the metadata. Otherwise why it cannot be used: it has to name the issuer that was looked for, and
/// keys.
std::variant<issuer_metadata, std::string> read_issuer_metadata(std::string_view text, std::string_view issuer);

/// Why metadata cannot be used.
struct bad_metadata {
  std::string why;
};
/// Reads of it only where tokens are granted, for who trusts none of the issuer's. A plain `http` URL has to be on this
/// machine, as the issuer has to be then.
std::variant<std::string, bad_metadata> read_token_endpoint(std::string_view text, std::string_view issuer);

} // namespace troupe::protocol
