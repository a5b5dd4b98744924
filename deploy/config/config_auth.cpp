#include "deploy/config/config_auth.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_path.hpp"

#include <iterator>

namespace troupe::deploy {

namespace {

/// The section, member by member.
class auth_reader {
public:
  auth_reader(config_variables& variables, auth_options& to) : variables_(variables), to_(to) {}

  void read(const config_value& section) {
    for (const auto& member : section.members())
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
    const auto written = value.filled_text();
    return written ? variables_.expanded(*written, value) : written;
  }
  void put(const config_value& value, std::string& to) {
    if (auto read = text(value))
      to = std::move(*read);
  }
  void put_file(const config_value& value, std::string& to) {
    if (auto path = readable_path(value, variables_))
      to = std::move(*path);
  }
  /// A text, or several.
  std::vector<std::string> texts(const config_value& value) {
    std::vector<std::string> result;
    for (const auto& one : value.is_text() ? std::vector{value} : value.elements())
      if (auto read = text(one))
        result.push_back(std::move(*read));
    return result;
  }

  // -- keys
  void allow_anonymous(const config_value& value) { to_.allow_anonymous = value.truth().value_or(false); }
  void keys_file(const config_value& value) { put_file(value, to_.keys_file); }
  void url(const config_value& value) { put(value, to_.url); }
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

const std::vector<auth_reader::key> auth_reader::keys = {{"allowAnonymous", &auth_reader::allow_anonymous},
                                                         {"keys", &auth_reader::keys_file},
                                                         {"certificates", &auth_reader::certificates},
                                                         {"issuer", &auth_reader::issuer},
                                                         {"audience", &auth_reader::audience},
                                                         {"url", &auth_reader::url},
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

void read_auth(const config_value& section, config_variables& variables, auth_options& to) {
  auth_reader{variables, to}.read(section);
}

std::vector<std::string_view> auth_keys() { return key_names(auth_reader::keys); }

std::vector<std::string_view> introspection_keys() { return key_names(auth_reader::of_introspection); }

} // namespace troupe::deploy
