#include "deploy/config/config_remote.hpp"

#include "deploy/config/config_grant.hpp"
#include "deploy/config/config_rules.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <set>

namespace troupe::deploy {

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
