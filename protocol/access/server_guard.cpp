#include "protocol/access/server_guard.hpp"

#include "protocol/access/uri_readings.hpp"
#include "protocol/message/client_methods.hpp"
#include "protocol/message/list_filter.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// What stands between the quotes of a JSON string.
std::string_view inside(std::string_view token) { return token.substr(1, token.size() - 2); }

std::string_view scheme_in(std::string_view uri) {
  auto colon = uri.find(':');
  auto scheme = uri.substr(0, colon);
  auto is_one = colon != uri.npos && scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+.-") == uri.npos;
  return is_one ? scheme : "none";
}

/// Nothing of a URI but its scheme may stay: servers read them in many ways.
std::string in_place_of(const naming& one, const std::string& none) {
  if (one.kind != offered::resource)
    return none;
  auto scheme = std::string{scheme_in(inside(one.token))};
  return scheme + (scheme == "file" ? ":///" : "://") + none;
}

void replace_all(std::string_view text, const std::string& part, const std::string& by, std::vector<edit>& to) {
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    to.push_back(replacing(text, text.substr(at, part.size()), by));
}

/// What only some may ask for must not be kept for others (2026-07-28, caching, "Cache Scope").
message for_who_asked(message answer) {
  constexpr std::string_view name = "cacheScope";
  auto result = answer.text.find(name) == std::string::npos ? std::nullopt : find_member(answer.text, {"result"});
  std::vector<edit> edits;
  if (result && result->starts_with('{'))
    for (object_reader members{*result}; members.next();)
      if (members.key() == name)
        edits.push_back(replacing(answer.text, members.value(), R"("private")"));
  return edits.empty() ? std::move(answer) : spliced(std::move(answer), std::move(edits));
}

} // namespace

const principal& principal_of(const caller& who) {
  static const principal nobody;
  return who ? *who : nobody;
}

permit permit_to(const permissions& rules, const named_thing& one, const principal& who) {
  auto result = rules.to(one.kind, one.name, who);
  if (one.kind != offered::resource || !rules.are_about(offered::resource))
    return result;
  auto readings = readings_of_uri(one.name);
  if (!readings)
    return {permit::kind::hidden};
  for (auto& reading : *readings)
    if (result.is == permit::kind::allowed)
      result = rules.to(one.kind, reading, who);
  return result;
}

bool server_guard::allows(const named_thing& one, const principal& who) const {
  return permit_to(*rules_, one, who).is == permit::kind::allowed;
}

std::optional<message> server_guard::refuse(message& to_server, const caller& who) {
  if (is_idle())
    return std::nullopt;
  if (to_server.is_method("notifications/cancelled"))
    forget(to_server.reference);
  if (!is_request(to_server)) {
    rename_hidden(to_server, principal_of(who));
    return std::nullopt;
  }
  auto answer = [&](int code, std::string_view why) { return own_message(error_text(to_server.id, code, why)); };
  if (rules_->are_about_things() && may_be_mistaken(to_server.method))
    return answer(error_code::method_not_found, "Method not found: " + to_server.method);
  if (rules_->are_about_things() && has_other_spellings(to_server))
    return answer(error_code::invalid_request, "Invalid Request: a member is there in other letters");
  for (auto& one : namings_in(to_server))
    if (!one.token.starts_with('"') || one.token.size() > longest_name)
      return answer(error_code::invalid_params, "Invalid params: a name is too long, or no text");
  auto list = things_listed_by(to_server.method);
  auto hidden = rename_hidden(to_server, principal_of(who));
  if ((list || !hidden.empty()) && lists_.size() + renamed_.size() >= most_awaited)
    return answer(error_code::internal_error, "too many requests are under way");
  if (list)
    lists_.insert_or_assign(to_server.id, awaited_list{*list, who});
  if (!hidden.empty())
    renamed_.insert_or_assign(to_server.id, std::move(hidden));
  return std::nullopt;
}

std::vector<server_guard::hidden_name> server_guard::rename_hidden(message& request, const principal& who) {
  std::vector<hidden_name> result;
  std::vector<edit> edits;
  for (auto& one : namings_in(request)) {
    if (allows({one.kind, string_value(one.token).value_or("")}, who))
      continue;
    result.push_back({in_place_of(one, none_ + std::to_string(++last_hidden_) + "x"), std::string{inside(one.token)}});
    edits.push_back(replacing(request.text, inside(one.token), result.back().made_up));
  }
  if (!edits.empty())
    request = spliced(std::move(request), std::move(edits));
  return result;
}

void server_guard::forget(const std::string& request) {
  lists_.erase(request);
  renamed_.erase(request);
}

message server_guard::shown(message from_server) {
  if (!renamed_.empty())
    from_server = with_hidden_names(std::move(from_server));
  if (from_server.kind != message_kind::response)
    return from_server;
  if (!is_idle())
    from_server = for_who_asked(std::move(from_server));
  renamed_.erase(from_server.id);
  auto list = lists_.extract(from_server.id);
  if (list.empty())
    return from_server;
  auto& awaited = list.mapped();
  return filtered_list(std::move(from_server), awaited.what.items, [&](std::string_view item) {
    return all_good(item, awaited.what.key, [&](const std::string& text) {
      return allows({awaited.what.kind, text}, principal_of(awaited.who));
    });
  });
}

/// A server may say such a name in its log, too, and in what it tells of progress.
message server_guard::with_hidden_names(message from_server) const {
  std::vector<edit> edits;
  if (from_server.text.find(none_) != std::string::npos)
    for (auto& [request, names] : renamed_)
      for (auto& one : names)
        replace_all(from_server.text, one.made_up, one.original, edits);
  return edits.empty() ? std::move(from_server) : spliced(std::move(from_server), std::move(edits));
}

} // namespace troupe::protocol
