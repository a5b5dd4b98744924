#include "protocol/access/item_authorizer.hpp"

#include "protocol/access/challenge.hpp"
#include "protocol/access/uri_readings.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Names in a message, up to one more than allowed: a long message may have any number of them.
class named_so_far {
public:
  void add(std::string_view in, offered kind, std::string_view member) {
    for (object_reader members{in}; !is_full() && members.next();)
      if (members.key() == member)
        all_.push_back({kind, members.value()});
  }
  /// Adds a reference to a prompt by its name, or to a resource by its URI or its template (2025-11-25, completion).
  void add_completed(std::string_view params) {
    for (auto reference : members_named(params, "ref")) {
      add(reference, offered::prompt, "name");
      add(reference, offered::resource, "uri");
    }
  }
  void add_listened_to(std::string_view list) {
    for (array_reader uris{list}; !is_full() && uris.next();)
      all_.push_back({offered::resource, uris.value()});
  }
  std::vector<naming> release() { return std::move(all_); }

private:
  bool is_full() const { return all_.size() > most_named; }

  std::vector<naming> all_;
};

offered offered_kind(list_kind kind) {
  if (kind == list_kind::tools)
    return offered::tool;
  return kind == list_kind::prompts ? offered::prompt : offered::resource;
}

/// Measured costs, in bytes of readings: a name; a URI with several readings; each of its bytes; each reading; each
/// byte of an unclear URI. The last constant is the effort of comparison that costs 1.
constexpr std::size_t cost_of_name = 16, cost_of_reading = 512, cost_of_byte = 4, cost_of_text = 64,
                      cost_of_unclear_byte = 16, effort_for_one = 8;

std::size_t cost_of_reading_it(const std::optional<std::vector<std::string>>& readings, const std::string& name) {
  if (!readings)
    return cost_of_reading + name.size() * cost_of_unclear_byte;
  std::size_t bytes = 0;
  for (auto& text : *readings)
    bytes += text.size();
  return readings->size() < 2 ? bytes
                              : cost_of_reading + name.size() * cost_of_byte + readings->size() * cost_of_text + bytes;
}

std::vector<std::string> readings_of_name(const std::string& name) {
  std::vector<std::string> result{name};
  if (const auto read = until_null(name); read.size() < name.size())
    result.emplace_back(read);
  return result;
}

/// Joins the rights at all servers that may have the thing: one server that allows it is enough.
permit permit_for(const named_item& shown, const guarded_items& meant_by, item_authorizer& judge,
                  const principal& who) {
  permit result{permit::kind::hidden, {}};
  for (auto& thing : meant_by(shown)) {
    auto one = judge.authorize(*thing.rules, {shown.kind, std::move(thing.name)}, who);
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

std::vector<naming> namings_in(const message& from) {
  named_so_far result;
  for (auto params : members_named(from.text, "params"))
    if (from.is_method("tools/call"))
      result.add(params, offered::tool, "name");
    else if (from.is_method("prompts/get"))
      result.add(params, offered::prompt, "name");
    else if (from.is_method("completion/complete"))
      result.add_completed(params);
    else if (from.is_method("resources/read") || from.is_method("resources/subscribe") ||
             from.is_method("resources/unsubscribe") || from.is_method("notifications/resources/updated"))
      result.add(params, offered::resource, "uri");
  for (auto list : subscriptions_in(from))
    result.add_listened_to(list);
  return result.release();
}

std::vector<std::string_view> subscriptions_in(const message& request) {
  std::vector<std::string_view> result;
  if (!request.is_method("subscriptions/listen"))
    return result;
  for (auto params : members_named(request.text, "params"))
    for (auto wanted : members_named(params, "notifications"))
      for (auto list : members_named(wanted, "resourceSubscriptions"))
        if (list.starts_with('['))
          result.push_back(list);
  return result;
}

std::optional<listed_items> items_listed_by(std::string_view method) {
  auto kind = list_asked_by(method);
  if (!kind)
    return std::nullopt;
  return listed_items{offered_kind(*kind), items_member(*kind), key_member(*kind)};
}

std::optional<std::vector<std::string>> readings_of(const permissions& rules, const named_item& one,
                                                    std::size_t* effort) {
  if (one.kind != offered::resource)
    return readings_of_name(one.name);
  auto read = readings_of_uri(one.name, effort);
  const auto is_named = [&](auto& host) { return rules.name_file_host(host); };
  if (!read || !std::ranges::all_of(read->file_hosts, is_named))
    return std::nullopt;
  return std::move(read->texts);
}

permit item_authorizer::authorize(const permissions& rules, const named_item& one, const principal& who) {
  if (!rules.are_about(one.kind))
    return rules.to_server(who);
  if (exhausted_ || one.name.size() > longest_named)
    return {permit::kind::hidden};
  std::size_t given_up = 0;
  const auto readings = readings_of(rules, one, &given_up);
  const auto effort = readings ? rules.effort_for(one.kind, *readings) : 0;
  return spend(cost_of_name + cost_of_reading_it(readings, one.name) + given_up + effort / effort_for_one) && readings
             ? rules.to(one.kind, *readings, who)
             : permit{permit::kind::hidden};
}

bool item_authorizer::spend(std::size_t cost) {
  exhausted_ = cost > left_;
  left_ -= std::min(cost, left_);
  return !exhausted_;
}

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
