#include "deploy/config/config_access.hpp"

#include "deploy/config/config_keys.hpp"
#include "protocol/text/glob.hpp"

#include <algorithm>
#include <iterator>
#include <string>
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

/// Whether the member says who may use something.
bool read_one(const config_member& member, allowed_callers& to) {
  const auto* const found = std::ranges::find(caller_keys, member.name, &callers_key::name);
  if (found == std::end(caller_keys))
    return false;
  to.*found->member = member.value.texts();
  if (member.value.token().starts_with('[') && member.value.elements().empty())
    member.value.error("is empty, which would let everybody in: leave it out for that");
  return true;
}

/// A rule that is not understood would let in whom it is to keep out.
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

/// A rule about a host that no URI has would let everybody in.
void refuse_host_of(std::string_view pattern, const config_value& at) {
  if (const auto why = protocol::refuse_uri_pattern(pattern))
    at.error(*why);
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

} // namespace troupe::deploy
