#pragma once

#include "protocol/access/permissions.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/access/token.hpp"
#include "protocol/http/http.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Which names of clients' certificates come in, as patterns (see `fits_glob`), and the scopes that each gives. Without
/// any all come in, with no scopes.
using certificate_rules = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// The caller with a certificate of that name, which is valid until `until`, with the scopes of all rules that fit;
/// null if none fits.
caller certificate_holder(std::string_view name, const certificate_rules& rules,
                          std::optional<calendar_time> until = std::nullopt);

/// Who may come in at all.
struct door_rules {
  /// Without credentials one comes in as nobody.
  bool is_open = true;
  /// Who makes tokens; empty when none are taken.
  std::string issuer = {};
  audience_rules audience = {};
  /// What every request needs.
  std::vector<std::string> scopes = {};
  /// What clients may ask the issuer for.
  std::vector<std::string> known_scopes = {};
  scope_hierarchy includes = {};
  /// Proxies that are believed when they say how clients call the gateway.
  ip_networks trusted_proxies = {};
  /// Where HTTP+SSE is served, if at several paths: a token for one of them is good at all, since messages have a path
  /// of their own.
  std::vector<std::string> sse_paths = {};
  /// Callers without credentials must be on this machine.
  bool is_for_this_machine = false;
};

/// What is said at the door to a request for the endpoint at a path, such as `/mcp` (RFC 6750, 3; RFC 9728).
class door {
public:
  /// All outlive this.
  door(const door_rules& rules, const http_request& request, std::string_view path)
      : rules_{rules}, request_{request}, path_{path} {}

  /// Whether a request without credentials comes through a proxy on this machine that is not trusted, which passes it
  /// on for anybody, although only who is on this machine may come in.
  bool is_strangers() const;
  /// 403 to that.
  static rejection refuse_stranger();
  /// 401 to who has no credentials.
  rejection refuse_nobody() const;
  /// 401 to who has some that are not good.
  rejection refuse_bad(std::string_view why) const;
  /// 403 to a caller who needs all of these scopes. `offline_access` is never asked for (2026-07-28, authorization,
  /// "Refresh Tokens").
  rejection refuse_for_scopes(const std::vector<std::string>& needed) const;
  /// The same for one that was made where the client's request is not known any more.
  rejection completed(rejection refused) const;
  /// Whether a caller comes in: with a token for this endpoint, and with the scopes that every request needs.
  std::optional<rejection> refuse(const principal& who) const;

  /// The path behind which clients find those of the gateway; empty when there is none.
  std::string prefix() const;
  /// The document about the endpoint.
  http_response metadata() const;
  /// A copy of the issuer's metadata, which is empty when it is not known yet: clients of 2025-03-26 look for it here
  /// and not where the issuer has it.
  http_response issuer(std::string_view text) const;

private:
  bool is_meant_for_here(const principal& who) const;
  std::optional<http_response> answer_instead() const;
  /// Scheme, host and port by which clients know the gateway; empty when that is not known.
  std::string origin() const;
  std::string metadata_url() const;

  const door_rules& rules_;
  const http_request& request_;
  std::string_view path_;
};

} // namespace troupe::protocol
