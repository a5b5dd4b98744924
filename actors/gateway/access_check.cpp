#include "actors/troupe/access_check.hpp"

#include "actors/gateway/gateway_setup.hpp"
#include "actors/gateway/identification.hpp"
#include "actors/gateway/option_rules.hpp"
#include "actors/gateway/token_setup.hpp"
#include "net/guarded.hpp"
#include "protocol/access/access_report.hpp"
#include "protocol/supervised/tool_filter.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

using namespace actors;

/// Returns why the server fails a caller who may use it; empty if it does not.
std::string fault_for(const server_options& server, const protocol::caller& who) {
  auto tell = make_sharing_key(server);
  auto told = tell ? tell(who) : std::variant<std::string, protocol::unavailable_attribute>{};
  auto* unavailable_attribute = std::get_if<protocol::unavailable_attribute>(&told);
  return unavailable_attribute ? unavailable_attribute->why : std::string{};
}

protocol::reported_server reported(const server_options& server, const auth_options& auth, std::string fault) {
  protocol::reported_server result{.name = server.name, .fault = std::move(fault)};
  if (auto rules = permissions_of(server.access, auth))
    result.rules = std::move(rules);
  if (!server.allow_tools.empty() || !server.deny_tools.empty())
    result.offers = [filter = protocol::tool_filter{server.allow_tools, server.deny_tools}](std::string_view tool) {
      return filter.allows(tool);
    };
  return result;
}

protocol::offered kind_of(asked_thing::kind kind) {
  if (kind == asked_thing::kind::tool)
    return protocol::offered::tool;
  return kind == asked_thing::kind::prompt ? protocol::offered::prompt : protocol::offered::resource;
}

/// Report for one caller. The options are valid.
access_answer report_for(const protocol::caller& who, const protocol::endpoint_guard_rules& endpoint_guard,
                         const gateway_options& options, const access_question& question) {
  const auto& thing = question.thing;
  protocol::access_report report;
  std::vector<protocol::reported_server> servers;
  for (const auto& one : options.servers)
    if (!thing || one.name == thing->server)
      servers.push_back(reported(one, options.auth, question.subject.empty() ? fault_for(one, who) : ""));
  if (!thing)
    report = protocol::report_of_servers(endpoint_guard, *who, servers);
  else if (servers.empty())
    report.text = "there is no server of that name\n";
  else
    report = protocol::report_of_thing(endpoint_guard, *who, servers.front(), {kind_of(thing->is), thing->name});
  return {report.allowed, protocol::text_of(*who) + report.text};
}

std::vector<identification::finding> those_asked_about(const access_question& question, identification& by) {
  if (!question.secret.empty())
    return {by.identify_secret(question.secret)};
  if (!question.subject.empty())
    return {by.identify_subject(question.subject, question.scopes, question.groups)};
  return by.identify_name(question.name);
}

/// Says where a name was looked up in vain.
std::string nobody_text(const gateway_options& options) {
  const auto has_certificates = options.tls && !options.tls->client_ca.empty();
  auto result = options.auth.keys_file.empty() ? "there are no keys (auth.keys, --keys)"
                                               : "no key of '" + options.auth.keys_file + "' has the name";
  result += has_certificates ? ", and no certificate of the name comes in (auth.certificates)"
                             : ", and no certificates are asked for (tls.clientCa, --tls-client-ca)";
  if (options.auth.issuer)
    result += "; a token tells by itself whom it names (--as -), or ask about whom it may name (--subject)";
  return result + "\n";
}

} // namespace

access_answer check_access(const gateway_options& given, const access_question& question) {
  auto options = checked(given, false);
  net::guarded<std::string> notes;
  options.log = [&notes](const log_record& note) {
    if (note.level < log_level::warning)
      return;
    auto line = "  " + note.text;
    for (auto& [name, value] : note.fields)
      line.append(", ").append(name).append(": ").append(value);
    notes.with([&](auto& all) { all += line + "\n"; });
  };
  access_answer result;
  {
    identification by{options};
    const auto found = those_asked_about(question, by);
    for (const auto& one : found) {
      const auto* who = std::get_if<protocol::caller>(&one);
      auto answer = who ? report_for(*who, by.endpoint_guard(), options, question)
                        : access_answer{false, std::get<std::string>(one) + "\n"};
      result.allowed = result.allowed || answer.allowed;
      result.text += answer.text;
    }
    if (found.empty())
      result.text = nobody_text(options);
  }
  if (!question.secret.empty()) // else no issuer was waited for
    result.text += notes.with([](auto& all) { return all; });
  return result;
}

} // namespace troupe
