#include "deploy/config/config_remote.hpp"

#include "deploy/config/config_keys.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <iterator>
#include <set>
#include <utility>

namespace troupe::deploy {

namespace {

const choices<grant_options::kind> grants = {{"client_credentials", grant_options::kind::client_credentials},
                                             {"token_exchange", grant_options::kind::token_exchange}};
/// Client authentication methods, named as in the metadata of issuers.
const choices<bool> proofs = {{"client_secret_basic", false}, {"client_secret_post", true}};

/// Reads the section member by member.
class grant_reader {
public:
  explicit grant_reader(server_texts& texts) : texts_(texts) {}

  grant_options read(const config_value& section) {
    for (const auto& member : section.members()) {
      has_grant_ = has_grant_ || member.name == "grant";
      if (!read_by(keys(), *this, member))
        warn_of_unknown(member, grant_keys());
    }
    if (section.is_object() && !has_grant_)
      section.error("has no `grant`: client_credentials or token_exchange");
    return std::move(result_);
  }

  static const std::vector<config_key<grant_reader>>& keys();

private:
  void put(const config_value& value, std::string& to) {
    if (auto text = texts_.text(value))
      to = std::move(*text);
  }

  void grant(const config_value& value) { result_.grant = value.choice(grants).value_or(result_.grant); }
  void issuer(const config_value& value) { put(value, result_.issuer); }
  void token_endpoint(const config_value& value) { put(value, result_.token_endpoint); }
  void client_id(const config_value& value) { put(value, result_.client_id); }
  void client_secret(const config_value& value) { put(value, result_.client_secret); }
  void client_authentication(const config_value& value) {
    result_.secret_in_form = value.choice(proofs).value_or(false);
  }
  void scopes(const config_value& value) {
    for (const auto& one : value.elements())
      if (auto text = texts_.text(one))
        result_.scopes.push_back(std::move(*text));
  }
  /// Reads `resource`; null or false sends none, as not every authorization server accepts it.
  void resource(const config_value& value) {
    if (value.is_null() || value.token() == "false")
      result_.resource.emplace();
    else
      result_.resource = texts_.text(value);
  }
  void audience(const config_value& value) { put(value, result_.audience); }
  void ca_file(const config_value& value) {
    if (auto place = texts_.place(value))
      result_.ca_file = std::move(*place);
  }

  server_texts& texts_;
  grant_options result_;
  bool has_grant_ = false;
};

const std::vector<config_key<grant_reader>>& grant_reader::keys() {
  static const std::vector<config_key<grant_reader>> all = {
      {"grant", &grant_reader::grant},
      {"issuer", &grant_reader::issuer},
      {"tokenEndpoint", &grant_reader::token_endpoint},
      {"clientId", &grant_reader::client_id},
      {"clientSecret", &grant_reader::client_secret},
      {"clientAuthentication", &grant_reader::client_authentication},
      {"scopes", &grant_reader::scopes},
      {"resource", &grant_reader::resource},
      {"audience", &grant_reader::audience},
      {"caFile", &grant_reader::ca_file}};
  return all;
}

} // namespace

grant_options read_grant(const config_value& section, server_texts& texts) { return grant_reader{texts}.read(section); }

std::vector<std::string_view> grant_keys() {
  std::vector<std::string_view> result;
  std::ranges::transform(grant_reader::keys(), std::back_inserter(result), &config_key<grant_reader>::name);
  return result;
}

const std::vector<config_key<remote_reader>>& remote_reader::keys() {
  static const std::vector<config_key<remote_reader>> all = {{"url", &remote_reader::url},
                                                             {"headers", &remote_reader::headers},
                                                             {"auth", &remote_reader::auth},
                                                             {"caFile", &remote_reader::ca_file},
                                                             {"connections", &remote_reader::connections}};
  return all;
}

void remote_reader::url(const config_value& value) {
  auto text = texts_.text(value);
  std::string why_not;
  if (text && texts_.is_final(*text) && !protocol::parse_http_url(*text, why_not))
    value.error("must be a URL of http or https: " + why_not);
  else if (text)
    result_.url = std::move(*text);
}

void remote_reader::headers(const config_value& value) {
  std::set<std::string> seen;
  for (const auto& [name, value_of] : value.members()) {
    if (!is_header_name(name))
      value_of.error("is no name of a header");
    else if (is_own_header(name))
      value_of.error("is a header that the gateway sets itself");
    else if (!seen.insert(protocol::lower(name)).second)
      value_of.error("is given twice: case does not tell headers apart");
    else
      header(name, value_of);
  }
}

void remote_reader::header(const std::string& name, const config_value& value) {
  auto text = texts_.caller_text(value.text(), value);
  if (text && !is_header_value(*text))
    value.error("must not contain line breaks or other control characters");
  else if (text)
    result_.headers.emplace_back(name, std::move(*text));
}

void remote_reader::auth(const config_value& value) { result_.auth = read_grant(value, texts_); }

void remote_reader::ca_file(const config_value& value) {
  if (auto place = texts_.place(value))
    result_.ca_file = std::move(*place);
}

void remote_reader::connections(const config_value& value) {
  if (const auto most = value.whole(1, most_connections))
    result_.connections = *most;
}

} // namespace troupe::deploy
