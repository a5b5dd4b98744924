#include "protocol/access/access_report.hpp"

#include "protocol/access/access_key.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace troupe::protocol {

namespace {

using names = std::vector<std::string>;

std::string listed(const names& all) {
  const auto result = joined(all, ", ", [](auto& one) { return one_line(one); });
  return result.empty() ? "none" : result;
}

std::string_view kind_text(offered kind) {
  if (kind == offered::tool)
    return "tool";
  return kind == offered::prompt ? "prompt" : "resource";
}

std::string kinds_text(offered kind) { return std::string{kind_text(kind)} + "s"; }

/// Lists the callers that a rule names, whatever their scopes.
std::string those_named(const access_rule& rule) {
  std::string result;
  if (!rule.groups.empty())
    result = "the groups " + listed(rule.groups);
  if (!rule.names.empty())
    result.append(result.empty() ? "" : " or ").append("the names ").append(listed(rule.names));
  if (!rule.issuers.empty())
    result.append(result.empty() ? "callers" : "").append(" of the issuers ").append(listed(rule.issuers));
  return result;
}

/// Texts for the decisions of rules on one caller.
class verdicts {
public:
  verdicts(const principal& who, const scope_hierarchy& includes) : who_{who}, includes_{includes} {}

  /// Describes the decision of several rules together.
  std::string text_of(const permit& is) const {
    if (is.is == permit::kind::allowed)
      return "allowed";
    if (is.is == permit::kind::hidden)
      return "hidden, whatever the scopes";
    names lacked;
    std::ranges::copy_if(is.scopes, std::back_inserter(lacked),
                         [&](auto& scope) { return !has_scope(who_, scope, includes_); });
    return "needs the scopes " + listed(is.scopes) + ", of which it lacks " + listed(lacked);
  }
  std::string text_of(const permissions& rules) const { return text_of(rules.to_server(who_), rules.server_rule()); }
  std::string line_of(const ruling& one) const {
    return "  " + kinds_text(one.of.kind) + " " + one_line(one.of.pattern.text()) + ": " +
           text_of(one.is, one.of.rule) + "\n";
  }

private:
  std::string text_of(const permit& is, const access_rule& rule) const {
    return text_of(is) + (is.is == permit::kind::hidden ? ": only for " + those_named(rule) : "");
  }

  const principal& who_;
  const scope_hierarchy& includes_;
};

/// Answers of a gateway's endpoints to one caller.
class entrances {
public:
  entrances(const endpoint_guard_rules& rules, const principal& who) : rules_{rules}, who_{who} {}

  /// Queries the endpoints of a server, or those of all servers. True if one of them accepts the caller.
  bool ask(const std::string& server) {
    const auto at_mcp = endpoint_path({endpoint::mcp, server}), at_sse = endpoint_path({endpoint::sse, server});
    const auto mcp = answer_at(at_mcp), sse = answer_at(at_sse);
    note(mcp, at_mcp);
    if (sse != mcp)
      note(sse, at_sse);
    return mcp.empty() || sse.empty();
  }
  std::string text() const {
    std::string result;
    for (auto& one : answers_)
      result += (one.answer.empty() ? "comes in" : one.answer) +
                (answers_.size() > 1 ? " at " + listed(one.paths) : "") + "\n";
    return result;
  }

private:
  struct said {
    /// Reason of the refusal; empty when the caller is accepted.
    std::string answer;
    names paths = {};
  };

  std::string answer_at(const std::string& path) const {
    auto refused = endpoint_guard{rules_, http_request{}, path}.refuse(who_);
    return refused ? "refused with " + std::to_string(refused->status) + ", " + refused->text : std::string{};
  }
  void note(const std::string& answer, const std::string& path) {
    auto same = std::ranges::find(answers_, answer, &said::answer);
    (same == answers_.end() ? answers_.emplace_back(said{answer}) : *same).paths.push_back(path);
  }

  const endpoint_guard_rules& rules_;
  const principal& who_;
  std::vector<said> answers_;
};

std::string fault_text(const reported_server& server) {
  return server.fault.empty() ? "" : "  but its requests fail: " + one_line(server.fault) + "\n";
}

std::string text_of_server(const reported_server& server, const principal& who, const scope_hierarchy& includes) {
  const verdicts words{who, includes};
  auto result = "server " + one_line(server.name) + ": " + words.text_of(*server.rules) + "\n";
  if (server.rules->to_server(who).is != permit::kind::allowed)
    return result;
  for (auto& one : server.rules->rulings_on(who))
    result += words.line_of(one);
  if (server.offers)
    result += "  of its tools only those that its \"tools\" lets through, for everybody\n";
  return result + fault_text(server);
}

bool fits(const named_rule& rule, const named_item& thing, const std::optional<names>& readings) {
  return rule.kind == thing.kind &&
         (!readings || std::ranges::any_of(*readings, [&](auto& name) { return rule.pattern.fits(name); }));
}

/// Lists all rules about the thing, or only the server's rule when the server is hidden from the caller.
std::string reasons(const reported_server& server, const principal& who, const named_item& thing,
                    const scope_hierarchy& includes) {
  const verdicts words{who, includes};
  auto result = "  server " + one_line(server.name) + ": " + words.text_of(*server.rules) + "\n";
  if (server.rules->to_server(who).is == permit::kind::hidden)
    return result;
  const auto readings = readings_of(*server.rules, thing);
  for (auto& one : server.rules->rulings_on(who))
    if (fits(one.of, thing, readings))
      result += words.line_of(one);
  if (server.rules->are_about(thing.kind) && !readings)
    result += "  servers may read this URI as any: where there are rules for resources, it is hidden from everybody\n";
  return result;
}

} // namespace

std::string text_of(const principal& who) {
  auto is_token = has_token(who);
  auto result = one_line(who.subject) + ", by a " + (is_token ? "token" : who.issuer) + "\n";
  auto add = [&](std::string_view name, const std::string& value) {
    result.append("  ").append(name).append(": ").append(value).append("\n");
  };
  if (is_token)
    add("issuer", one_line(who.issuer));
  if (!who.client.empty())
    add("client", one_line(who.client));
  add("scopes", listed(who.scopes));
  if (is_token)
    add("groups", listed(who.groups));
  if (who.expires)
    add("expires", utc_text(*who.expires));
  else if (who.issuer == key_issuer)
    add("expires", "never");
  return result;
}

access_report report_of_servers(const endpoint_guard_rules& rules, const principal& who,
                                const std::vector<reported_server>& servers) {
  entrances all{rules, who};
  access_report result;
  const auto sees_all = all.ask({});
  for (auto& one : servers)
    if (all.ask(one.name) || sees_all) {
      result.allowed = true;
      result.text += text_of_server(one, who, rules.includes);
    }
  result.text.insert(0, all.text());
  return result;
}

access_report report_of_thing(const endpoint_guard_rules& rules, const principal& who, const reported_server& server,
                              const named_item& thing) {
  entrances its{rules, who};
  const auto sees_all = its.ask({});
  const auto comes_in = its.ask(server.name) || sees_all;
  access_report result{false, its.text()};
  if (!comes_in)
    return result;
  auto is = item_authorizer{}.authorize(*server.rules, thing, who);
  auto is_offered = thing.kind != offered::tool || !server.offers || server.offers(thing.name);
  result.allowed = is_offered && is.is == permit::kind::allowed && server.fault.empty();
  result.text += std::string{kind_text(thing.kind)} + " " + one_line(server.name + "/" + thing.name) + ": ";
  result.text += is_offered ? verdicts{who, rules.includes}.text_of(is) + "\n"
                            : "hidden from everybody: its server's \"tools\" leaves it out\n";
  result.text += reasons(server, who, thing, rules.includes) + fault_text(server);
  return result;
}

} // namespace troupe::protocol
