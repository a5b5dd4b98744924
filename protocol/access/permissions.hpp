#pragma once

#include "protocol/access/principal.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Kinds of things that a server offers.
enum class offered { tool, prompt, resource };

/// Pattern of a rule, for the names of things or the URIs of resources; see `fits_glob`. All spellings of a URI pattern
/// are equal: with escapes or without, with the host of this machine, with dot segments. An escaped `*` or `?` stands
/// for itself.
class name_pattern {
public:
  name_pattern(offered kind, std::string text);

  /// Pattern as it was written.
  const std::string& text() const { return text_; }
  /// Cost of a comparison with a name, in about the bytes that are compared.
  std::size_t effort_for(std::string_view name) const;
  /// True if the pattern matches a name, or one of the readings of a URI.
  bool fits(std::string_view name) const;
  /// True if the pattern names this host of files, in lower case; a `*` alone names none.
  bool names_file_host(std::string_view host) const;

  friend bool operator==(const name_pattern&, const name_pattern&) = default;

private:
  struct spelling {
    /// Pattern with `unwritten_wildcards`.
    std::string text;
    /// Length of the text before the first wildcard.
    std::size_t literal;

    friend bool operator==(const spelling&, const spelling&) = default;
  };

  static spelling spelled(std::string text);
  static bool begins_as(const spelling& one, std::string_view name);

  std::string text_;
  std::vector<spelling> spellings_;
  std::vector<std::string> file_hosts_;
};

/// Access rule: a caller needs all of the scopes, one of the groups or names, and one of the issuers. An empty list
/// requires nothing.
struct access_rule {
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// Subjects of tokens, or names of keys and certificates.
  std::vector<std::string> names = {};
  /// Values of `principal::issuer`, or `any_token_issuer` for all issuers whose tokens are accepted.
  std::vector<std::string> issuers = {};

  bool is_empty() const { return scopes.empty() && groups.empty() && names.empty() && issuers.empty(); }
  friend bool operator==(const access_rule&, const access_rule&) = default;
};

inline constexpr const char* any_token_issuer = "token";

/// Rule for all things of a kind whose names or URIs match a pattern.
struct named_rule {
  named_rule(offered of, std::string names, access_rule holds)
      : kind{of}, pattern{of, std::move(names)}, rule{std::move(holds)} {}

  offered kind;
  name_pattern pattern;
  access_rule rule;
  friend bool operator==(const named_rule&, const named_rule&) = default;
};

/// Scopes that a scope includes: a caller with `admin` may have `read` by it (2026-07-28, authorization, "Scope
/// Challenge Handling").
using scope_hierarchy = std::map<std::string, std::vector<std::string>, std::less<>>;

/// True if a principal has a scope, directly or by one that includes it.
bool has_scope(const principal& who, std::string_view scope, const scope_hierarchy& includes);

/// Right of a caller to a server, or to a thing of it.
struct permit {
  enum class kind { allowed, hidden, lacks_scopes };
  kind is = kind::allowed;
  /// All scopes needed, including those that the caller has.
  std::vector<std::string> scopes = {};
  friend bool operator==(const permit&, const permit&) = default;
};

/// Rule for a pattern, and a caller's right by it and the server's rule together.
struct ruling {
  named_rule of;
  permit is;
  friend bool operator==(const ruling&, const ruling&) = default;
};

/// Access rules of a server and of its things. All rules that match a thing apply.
class permissions {
public:
  permissions() = default;
  permissions(access_rule server, std::vector<named_rule> things, scope_hierarchy includes = {})
      : server_{std::move(server)}, things_{std::move(things)}, includes_{std::move(includes)} {}

  /// True if there is any rule.
  bool are_given() const { return !server_.is_empty() || !things_.empty(); }
  /// True if there is a rule for things of the server.
  bool are_about_things() const { return !things_.empty(); }
  bool are_about(offered kind) const;
  /// Cost of comparing these readings with the patterns of that kind, in about the bytes that are compared.
  std::size_t effort_for(offered kind, const std::vector<std::string>& readings) const;
  /// True if a pattern for resources names this host of files, in lower case.
  bool name_file_host(std::string_view host) const;
  /// Returns the right to use the server.
  permit to_server(const principal& who) const;
  /// Returns the right to use a thing, given all readings of its name. `hidden` when the rules name other callers: for
  /// this caller it does not exist.
  permit to(offered kind, const std::vector<std::string>& readings, const principal& who) const;
  /// Returns a caller's right by the rule of each pattern, together with the rule of the server.
  std::vector<ruling> rulings_on(const principal& who) const;
  const access_rule& server_rule() const { return server_; }

private:
  void add(const access_rule& rule, const principal& who, permit& to) const;

  access_rule server_;
  std::vector<named_rule> things_;
  scope_hierarchy includes_;
};

} // namespace troupe::protocol
