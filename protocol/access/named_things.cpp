#include "protocol/access/named_things.hpp"

#include "protocol/message/list_kind.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

/// The values of all members of a name in an object.
std::vector<std::string_view> values_of(std::string_view object, std::string_view name) {
  std::vector<std::string_view> result;
  if (object.starts_with('{'))
    for (object_reader members{object}; members.next();)
      if (members.key() == name)
        result.push_back(members.value());
  return result;
}

void add_named(std::string_view in, offered kind, std::string_view member, std::vector<naming>& to) {
  for (auto value : values_of(in, member))
    to.push_back({kind, value});
}

/// A reference to a prompt by its name, or to a resource by its URI or its template (2025-11-25, completion).
void add_completed(std::string_view params, std::vector<naming>& to) {
  for (auto reference : values_of(params, "ref")) {
    add_named(reference, offered::prompt, "name", to);
    add_named(reference, offered::resource, "uri", to);
  }
}

offered offered_kind(list_kind kind) {
  if (kind == list_kind::tools)
    return offered::tool;
  return kind == list_kind::prompts ? offered::prompt : offered::resource;
}

} // namespace

std::vector<naming> namings_in(const message& request) {
  std::vector<naming> result;
  for (auto params : values_of(request.text, "params"))
    if (request.is_method("tools/call"))
      add_named(params, offered::tool, "name", result);
    else if (request.is_method("prompts/get"))
      add_named(params, offered::prompt, "name", result);
    else if (request.is_method("completion/complete"))
      add_completed(params, result);
    else if (request.is_method("resources/read") || request.is_method("resources/subscribe") ||
             request.is_method("resources/unsubscribe"))
      add_named(params, offered::resource, "uri", result);
  for (auto list : subscriptions_in(request))
    for (array_reader uris{list}; uris.next();)
      result.push_back({offered::resource, uris.value()});
  return result;
}

std::vector<std::string_view> subscriptions_in(const message& request) {
  std::vector<std::string_view> result;
  if (!request.is_method("subscriptions/listen"))
    return result;
  for (auto params : values_of(request.text, "params"))
    for (auto wanted : values_of(params, "notifications"))
      for (auto list : values_of(wanted, "resourceSubscriptions"))
        if (list.starts_with('['))
          result.push_back(list);
  return result;
}

std::optional<listed_things> things_listed_by(std::string_view method) {
  auto kind = list_asked_by(method);
  if (!kind)
    return std::nullopt;
  return listed_things{offered_kind(*kind), items_member(*kind), key_member(*kind)};
}

} // namespace troupe::protocol
