#include "deploy/config/config_server_parts.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_rules.hpp"
#include "deploy/config/config_server.hpp"

#include <iterator>

namespace troupe::deploy {

namespace {

struct delay_key {
  std::string_view name;
  std::chrono::milliseconds restart_options::*member;
};

constexpr std::string_view attempts_key = "attempts";
constexpr delay_key delay_keys[] = {{"firstDelay", &restart_options::first_delay},
                                    {"longestDelay", &restart_options::longest_delay},
                                    {"steady", &restart_options::steady},
                                    {"rest", &restart_options::rest}};

void read_restart_member(const config_member& member, restart_options& restart) {
  const auto* const delay = std::ranges::find(delay_keys, member.name, &delay_key::name);
  if (delay != std::end(delay_keys))
    restart.*delay->member = member.value.duration().value_or(restart.*delay->member);
  else if (member.name == attempts_key)
    restart.attempts = member.value.whole(1, most_attempts).value_or(restart.attempts);
  else
    warn_of_unknown(member, restart_keys());
}

std::vector<std::string> patterns(const config_value& value) {
  auto result = value.texts();
  if (value.token().starts_with('[') && value.elements().empty())
    value.warn("is empty, which is the same as not given");
  return result;
}

} // namespace

void read_restart(const config_value& value, server_options& server) {
  if (value.is_truth()) {
    server.on_loss = value.token() == "true" ? on_loss::restart : on_loss::end_sessions;
    return;
  }
  if (!value.is_object())
    return value.error("must be true, false or an object");
  server.on_loss = on_loss::restart;
  for (const auto& member : value.members())
    read_restart_member(member, server.restart);
  if (server.restart.first_delay > server.restart.longest_delay)
    value.error("`firstDelay` is longer than `longestDelay`");
}

void read_tool_list(const config_value& value, std::vector<std::string>& allow, std::vector<std::string>& deny) {
  constexpr auto all = "*";
  allow = value.texts();
  if (std::ranges::find(allow, all) != allow.end())
    allow.clear();
  else if (value.token().starts_with('[') && value.elements().empty())
    deny.emplace_back(all);
}

void read_tools(const config_value& value, server_options& server) {
  if (value.token().starts_with('['))
    return read_tool_list(value, server.allow_tools, server.deny_tools);
  for (const auto& member : value.members()) {
    if (member.name == "allow")
      server.allow_tools = patterns(member.value);
    else if (member.name == "deny")
      server.deny_tools = patterns(member.value);
    else
      warn_of_unknown(member, tools_keys());
  }
}

std::vector<std::string_view> restart_keys() {
  std::vector<std::string_view> result{attempts_key};
  std::ranges::transform(delay_keys, std::back_inserter(result), &delay_key::name);
  return result;
}

std::vector<std::string_view> tools_keys() { return {"allow", "deny"}; }

} // namespace troupe::deploy
