#include "protocol/access/entry_scopes.hpp"

#include "protocol/access/challenge.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Joins the rights at all servers that may have the thing: one server that allows it is enough.
permit permit_for(const named_item& shown, const guarded_items& meant_by, item_authorizer& judge,
                  const principal& who) {
  permit result{permit::kind::hidden, {}};
  for (auto& thing : meant_by(shown)) {
    auto one = judge.judge(*thing.rules, {shown.kind, std::move(thing.name)}, who);
    if (one.is == permit::kind::allowed)
      return one;
    if (one.is == permit::kind::lacks_scopes && result.is == permit::kind::hidden)
      result = std::move(one);
  }
  return result;
}

void add_scopes(std::vector<std::string> more, std::vector<std::string>& to) {
  for (auto& one : more)
    if (std::ranges::find(to, one) == to.end())
      to.push_back(std::move(one));
}

/// True if members are repeated, of which a server takes one. `completion/complete` may have a name and a URI.
bool repeats_members(const message& request, const std::vector<naming>& named) {
  return !request.is_method("subscriptions/listen") && named.size() > 2;
}

rejection too_much(const post_body& body, std::string_view why) {
  return {.status = 400,
          .code = error_code::invalid_params,
          .text = "Invalid params: " + std::string{why},
          .id = body.batch ? "" : body.messages.front().id};
}

} // namespace

std::optional<rejection> refuse_entry(const post_body& body, const guarded_items& meant_by, const principal& who,
                                      const std::vector<std::string>& every_request) {
  std::vector<naming> named;
  auto repeats = false;
  for (auto& one : body.messages) {
    const auto here = namings_in(one);
    repeats = repeats || repeats_members(one, here);
    named.insert(named.end(), here.begin(), here.end());
  }
  if (named.size() > most_named)
    return too_much(body, "more is named than may be");
  if (repeats)
    return too_much(body, "a name or URI is there more than once");
  std::vector<std::string> needed;
  auto lacks = false;
  item_authorizer judge;
  for (auto& one : named) {
    if (one.token.size() > longest_named)
      continue; // no thing has such a name
    auto judged = permit_for({one.kind, string_value(one.token).value_or("")}, meant_by, judge, who);
    if (judge.is_exhausted())
      return too_much(body, "what is named may be read in too many ways");
    if (judged.is == permit::kind::hidden)
      continue;
    lacks = lacks || judged.is == permit::kind::lacks_scopes;
    add_scopes(std::move(judged.scopes), needed);
  }
  return lacks ? std::optional{insufficient_scope(every_request, needed)} : std::nullopt;
}

message without_hidden_subscriptions(message request, const guarded_items& meant_by, const principal& who) {
  std::vector<edit> edits;
  item_authorizer judge;
  const auto is_hidden = [&](const std::string& uri) {
    return uri.size() <= longest_named &&
           permit_for({offered::resource, uri}, meant_by, judge, who).is == permit::kind::hidden;
  };
  for (auto list : subscriptions_in(request)) {
    std::string kept;
    for (array_reader uris{list}; uris.next();) {
      auto uri = string_value(uris.value());
      if (!uri || !is_hidden(*uri))
        kept.append(kept.empty() ? "" : ",").append(uris.value());
    }
    edits.push_back(replacing(request.text, list, "[" + kept + "]"));
  }
  return edits.empty() ? request : spliced(std::move(request), std::move(edits));
}

} // namespace troupe::protocol
