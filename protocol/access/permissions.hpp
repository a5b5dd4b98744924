#pragma once

#include "protocol/access/principal.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// The kinds of things that a server offers.
enum class offered { tool, prompt, resource };

/// The pattern of a rule, for the names of things or the URIs of resources; see `fits_glob`. One for URIs is the same
/// in whatever spelling it is written: with escapes or without, with the host of this machine, with dot segments. An
/// escaped `*` or `?` stands for itself.
class name_pattern {
public:
  name_pattern(offered kind, std::string text);

  /// As it was written.
  const std::string& text() const { return text_; }
  /// What it takes to compare it with a name, in about the bytes that are looked at.
  std::size_t effort_for(std::string_view name) const;
  /// Whether it fits a name, or one of the readings of a URI.
  bool fits(std::string_view name) const;
  /// Whether it is about files of that host by name, in lower case; a `*` alone names none.
  bool names_file_host(std::string_view host) const;

  friend bool operator==(const name_pattern&, const name_pattern&) = default;

private:
  struct spelling {
    /// With `unwritten_wildcards`.
    std::string text;
    /// How much of it comes before the first of these.
    std::size_t literal;

    friend bool operator==(const spelling&, const spelling&) = default;
  };

  static spelling spelled(std::string text);
  static bool begins_as(const spelling& one, std::string_view name);

  std::string text_;
  std::vector<spelling> spellings_;
  std::vector<std::string> file_hosts_;
};

/// Access rule: a caller needs all of the scopes, one of the groups or one of the names, and one of the issuers. An
/// empty list requires nothing.
struct access_rule {
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// Subjects, or names of keys and certificates.
  std::vector<std::string> names = {};
  /// See `principal::issuer`; `any_token_issuer` for all whose tokens are taken.
  std::vector<std::string> issuers = {};

  bool is_empty() const { return scopes.empty() && groups.empty() && names.empty() && issuers.empty(); }
  friend bool operator==(const access_rule&, const access_rule&) = default;
};

inline constexpr const char* any_token_issuer = "token";

/// A rule for all things of a kind whose names, or URIs, fit a pattern.
struct named_rule {
  named_rule(offered of, std::string names, access_rule holds)
      : kind{of}, pattern{of, std::move(names)}, rule{std::move(holds)} {}

  offered kind;
  name_pattern pattern;
  access_rule rule;
  friend bool operator==(const named_rule&, const named_rule&) = default;
};

/// Scopes that others stand for, too: who has `admin` may have `read` by it (2026-07-28, authorization, "Scope
/// Challenge Handling").
using scope_hierarchy = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Whether a principal has a scope, by itself or by one that includes it.
bool has_scope(const principal& who, std::string_view scope, const scope_hierarchy& includes);

/// What somebody may do with a thing.
struct permit {
  enum class kind { allowed, hidden, lacks_scopes };
  kind is = kind::allowed;
  /// All scopes that it needs, those that the caller has among them.
  std::vector<std::string> scopes = {};
  friend bool operator==(const permit&, const permit&) = default;
};

/// What the rule for a pattern says of somebody, together with that for the server.
struct ruling {
  named_rule of;
  permit is;
  friend bool operator==(const ruling&, const ruling&) = default;
};

/// Who may use a server, and what of it. All rules that fit a thing hold.
class permissions {
public:
  permissions() = default;
  permissions(access_rule server, std::vector<named_rule> things, scope_hierarchy includes = {})
      : server_{std::move(server)}, things_{std::move(things)}, includes_{std::move(includes)} {}

  /// Whether there is a rule at all.
  bool are_given() const { return !server_.is_empty() || !things_.empty(); }
  /// Whether there is one for what the server offers.
  bool are_about_things() const { return !things_.empty(); }
  bool are_about(offered kind) const;
  /// What it takes to compare these with the patterns for such things, in about the bytes that are looked at.
  std::size_t effort_for(offered kind, const std::vector<std::string>& readings) const;
  /// Whether the pattern of one is about files of that host, in lower case.
  bool name_file_host(std::string_view host) const;
  /// To use the server.
  permit to_server(const principal& who) const;
  /// To use a thing of it, by all that its name may be read as. Hidden when the rules name others: for this caller it
  /// does not exist.
  permit to(offered kind, const std::vector<std::string>& readings, const principal& who) const;
  /// What each pattern's rule says of somebody, and the rule for the server itself.
  std::vector<ruling> rulings_on(const principal& who) const;
  const access_rule& server_rule() const { return server_; }

private:
  void add(const access_rule& rule, const principal& who, permit& to) const;

  access_rule server_;
  std::vector<named_rule> things_;
  scope_hierarchy includes_;
};

} // namespace troupe::protocol
