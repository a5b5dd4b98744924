#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Returns the possible URLs of an issuer's metadata, in the order of the search (RFC 8414, 3.1; OpenID Connect
/// Discovery 1.0, 4; 2025-11-25, authorization, "Authorization Server Metadata Discovery").
std::vector<std::string> metadata_urls(std::string_view issuer);

/// Scope of refresh tokens (OpenID Connect Core 1.0, 11). A matter between client and issuer: no server requires it.
inline constexpr std::string_view offline_access = "offline_access";

/// Search for a document that may be at several URLs, such as the metadata of an issuer. They are fetched one after the
/// other, until one has a usable document.
class document_search {
public:
  document_search() = default;
  explicit document_search(std::vector<std::string> urls) : urls_{std::move(urls)} {}

  /// Returns the first URL to fetch, and then the one after a URL that is of no use. Returns nothing after the last
  /// one, which ends the search.
  std::optional<std::string> next();
  /// A usable document was found.
  void end() { *this = {}; }
  /// True while a document is being fetched.
  bool is_under_way() const { return place_ != 0; }

private:
  std::vector<std::string> urls_;
  /// Number of URLs tried.
  std::size_t place_ = 0;
};

/// Returns what is wrong with the metadata of an issuer: the end of a sentence about it, or nothing. The metadata must
/// be a JSON object that names the issuer (RFC 8414, 3.3). Some issuers write the slash of an origin, others do not.
std::string metadata_problem(std::string_view text, std::string_view issuer);

/// True if a URL has the host and port of one that the operator or the user has named. Other ports of the same host are
/// other services.
bool is_at_named_place(const std::string& url, const std::string& named);

/// Metadata of an issuer.
struct issuer_metadata {
  std::string keys_url;
  /// Empty when there is no introspection endpoint.
  std::string introspection_url = {};
  std::string token_url = {};
  friend bool operator==(const issuer_metadata&, const issuer_metadata&) = default;
};

/// Parses the metadata, or returns the reason why it is unusable. It must name the expected issuer, and keys or an
/// introspection endpoint.
std::variant<issuer_metadata, std::string> read_issuer_metadata(std::string_view text, std::string_view issuer);

/// Reason why metadata is unusable.
struct bad_metadata {
  std::string why;
};
/// Parses only the token endpoint, for uses that accept no tokens of this issuer. A plain `http` URL must be on this
/// machine, and so must the issuer then.
std::variant<std::string, bad_metadata> read_token_endpoint(std::string_view text, std::string_view issuer);

} // namespace troupe::protocol
