#include "deploy/config/config_security.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_variables.hpp"
#include "deploy/config/option_reader.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/text/glob.hpp"
#include "protocol/text/host_port.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

namespace troupe::deploy {

namespace {

struct callers_key {
  std::string_view name;
  std::vector<std::string> allowed_callers::*member;
};

constexpr callers_key caller_keys[] = {{"scopes", &allowed_callers::scopes},
                                       {"groups", &allowed_callers::groups},
                                       {"names", &allowed_callers::names},
                                       {"issuers", &allowed_callers::issuers}};

struct things_key {
  std::string_view name;
  std::vector<std::pair<std::string, allowed_callers>> server_access::*member;
};

constexpr things_key thing_keys[] = {
    {"tools", &server_access::tools}, {"prompts", &server_access::prompts}, {"resources", &server_access::resources}};

/// Reads a list of allowed callers; false if the member is none.
bool read_one(const config_member& member, allowed_callers& to) {
  const auto* const found = std::ranges::find(caller_keys, member.name, &callers_key::name);
  if (found == std::end(caller_keys))
    return false;
  to.*found->member = member.value.texts();
  if (member.value.token().starts_with('[') && member.value.elements().empty())
    member.value.error("is empty, which would let everybody in: leave it out for that");
  return true;
}

/// Reports an unknown key as an error: an ignored rule would admit callers that it must refuse.
void refuse_unknown(const config_member& member, const std::vector<std::string_view>& known) {
  const auto meant = nearest(member.name, known);
  member.value.error(meant.empty() ? "is not known" : "is not known, did you mean `" + std::string(meant) + "`?");
}

allowed_callers read_callers(const config_value& section) {
  allowed_callers result;
  for (const auto& member : section.members())
    if (!read_one(member, result))
      refuse_unknown(member, allowed_callers_keys());
  return result;
}

/// Refuses a pattern with a host that no URI has: the rule would admit all callers.
void refuse_host_of(std::string_view pattern, const config_value& at) {
  if (const auto why = protocol::refuse_uri_pattern(pattern))
    at.error(*why);
}

void read_admin_listen(const config_value& value, config_variables& variables, admin_options& to) {
  const auto text = read_option_text(value, protocol::text_form::expanded, variables);
  if (!text)
    return;
  const auto place = protocol::read_host_port(*text);
  if (protocol::is_unix_socket(*text))
    to.host = *text;
  else if (!place)
    value.error("must be " + std::string(protocol::host_port_form) + ", or unix: and the path of a socket");
  else
    std::tie(to.host, to.port) = std::tie(place->host, place->port);
}

/// Reads the section member by member.
class auth_reader {
public:
  auth_reader(config_variables& variables, auth_options& to) : variables_(variables), to_(to) {}

  void read(const config_value& section) {
    for (const auto& member : section.members())
      if (!read_member(member, actors::option_table::auth_rows, variables_, to_))
        read(member, keys, auth_keys());
    if (has_issuer_)
      to_.issuer = std::move(issuer_);
    else if (has_part_of_issuer_)
      section.error("`audience`, `groupsClaim`, `caFile` and `introspection` are of an `issuer`, which is missing");
  }

  struct key {
    std::string_view name;
    void (auth_reader::*read)(const config_value& value);
  };
  static const std::vector<key> keys;
  static const std::vector<key> of_introspection;

private:
  void read(const config_member& member, const std::vector<key>& among, const std::vector<std::string_view>& known) {
    const auto found = std::ranges::find(among, member.name, &key::name);
    if (found == among.end())
      warn_of_unknown(member, known);
    else
      (this->*found->read)(member.value);
  }

  // -- values
  std::optional<std::string> text(const config_value& value) {
    return read_option_text(value, protocol::text_form::expanded, variables_);
  }
  void put(const config_value& value, std::string& to) {
    if (auto read = text(value))
      to = std::move(*read);
  }
  void put_file(const config_value& value, std::string& to) {
    if (auto path = readable_path(value, variables_))
      to = std::move(*path);
  }
  /// Reads a text, or an array of texts.
  std::vector<std::string> texts(const config_value& value) {
    std::vector<std::string> result;
    for (const auto& one : value.is_text() ? std::vector{value} : value.elements())
      if (auto read = text(one))
        result.push_back(std::move(*read));
    return result;
  }

  // -- keys
  void scopes(const config_value& value) { to_.scopes = texts(value); }
  void scope_includes(const config_value& value) {
    for (const auto& member : value.members())
      to_.scope_includes[member.name] = texts(member.value);
  }
  void certificates(const config_value& value) {
    for (const auto& member : value.members())
      to_.certificates[member.name] = texts(member.value);
  }
  void issuer(const config_value& value) {
    has_issuer_ = true;
    put(value, issuer_.url);
  }
  void audience(const config_value& value) {
    has_part_of_issuer_ = true;
    issuer_.audiences = texts(value);
  }
  void groups_claim(const config_value& value) {
    has_part_of_issuer_ = true;
    put(value, issuer_.groups_claim);
  }
  void ca_file(const config_value& value) {
    has_part_of_issuer_ = true;
    put_file(value, issuer_.ca_file);
  }
  void introspection(const config_value& value) {
    has_part_of_issuer_ = true;
    for (const auto& member : value.members())
      read(member, of_introspection, introspection_keys());
  }
  void client_id(const config_value& value) { put(value, issuer_.client_id); }
  void client_secret(const config_value& value) { put(value, issuer_.client_secret); }

  config_variables& variables_;
  auth_options& to_;
  issuer_options issuer_;
  bool has_issuer_ = false;
  bool has_part_of_issuer_ = false;
};

const std::vector<auth_reader::key> auth_reader::keys = {{"certificates", &auth_reader::certificates},
                                                         {"issuer", &auth_reader::issuer},
                                                         {"audience", &auth_reader::audience},
                                                         {"scopes", &auth_reader::scopes},
                                                         {"scopeIncludes", &auth_reader::scope_includes},
                                                         {"groupsClaim", &auth_reader::groups_claim},
                                                         {"caFile", &auth_reader::ca_file},
                                                         {"introspection", &auth_reader::introspection}};

const std::vector<auth_reader::key> auth_reader::of_introspection = {{"clientId", &auth_reader::client_id},
                                                                     {"clientSecret", &auth_reader::client_secret}};

std::vector<std::string_view> key_names(const std::vector<auth_reader::key>& keys) {
  std::vector<std::string_view> result;
  std::ranges::transform(keys, std::back_inserter(result), &auth_reader::key::name);
  return result;
}

} // namespace

void read_access(const config_value& section, server_access& to) {
  for (const auto& member : section.members()) {
    const auto* const things = std::ranges::find(thing_keys, member.name, &things_key::name);
    if (things != std::end(thing_keys)) {
      for (const auto& [pattern, value] : member.value.members()) {
        if (things->member == &server_access::resources)
          refuse_host_of(pattern, value);
        (to.*things->member).emplace_back(pattern, read_callers(value));
      }
    } else if (!read_one(member, to.server)) {
      refuse_unknown(member, access_keys());
    }
  }
}

std::vector<std::string_view> access_keys() {
  auto result = allowed_callers_keys();
  std::ranges::transform(thing_keys, std::back_inserter(result), &things_key::name);
  return result;
}

std::vector<std::string_view> allowed_callers_keys() {
  std::vector<std::string_view> result;
  std::ranges::transform(caller_keys, std::back_inserter(result), &callers_key::name);
  return result;
}

void read_admin(const config_value& section, config_variables& variables, admin_options& to) {
  for (const auto& member : section.members())
    if (member.name == "listen")
      read_admin_listen(member.value, variables, to);
    else if (!read_member(member, actors::option_table::admin_rows, variables, to))
      warn_of_unknown(member, admin_keys());
}

std::vector<std::string_view> admin_keys() {
  return keys_of<admin_options>(actors::option_table::admin_rows, {"listen"});
}

void read_auth(const config_value& section, config_variables& variables, auth_options& to) {
  auth_reader{variables, to}.read(section);
}

std::vector<std::string_view> auth_keys() {
  return keys_of<auth_options>(actors::option_table::auth_rows, key_names(auth_reader::keys));
}

std::vector<std::string_view> introspection_keys() { return key_names(auth_reader::of_introspection); }

void read_tls(const config_value& section, config_variables& variables, tls_options& to) {
  for (const auto& member : section.members())
    if (!read_member(member, actors::option_table::tls_rows, variables, to))
      warn_of_unknown(member, tls_keys());
}

std::vector<std::string_view> tls_keys() { return keys_of<tls_options>(actors::option_table::tls_rows); }

} // namespace troupe::deploy
