#include "protocol/modern_client/listen_filter.hpp"

#include "protocol/message/lists.hpp"
#include "protocol/subscription_limits.hpp"
#include "protocol/text/json.hpp"

#include <optional>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::string_view uris_member = "resourceSubscriptions";

using listen_complaint = std::optional<std::string>;

bool can_tell(std::string_view capabilities, std::string_view group, std::string_view what) {
  return find_member(capabilities, {group, what}) == "true";
}

listen_complaint read_flag(const listen_words& words, std::string_view value, listen_filter& to) {
  if (value != "true" && value != "false")
    return std::string{words.flag} + " must be true or false";
  if (value == "true")
    to.lists.insert(words.group);
  return std::nullopt;
}

listen_complaint read_listened_uris(std::string_view value, listen_filter& to) {
  if (!value.starts_with('['))
    return "resourceSubscriptions must be an array of URIs";
  std::size_t count = 0;
  for (array_reader uris{value}; uris.next();) {
    auto uri = string_value(uris.value());
    if (!uri)
      return "resourceSubscriptions has an element that is no string; it must be an array of URIs";
    if (uri->size() > longest_subscribed_uri)
      return "resourceSubscriptions has a URI of more than " + std::to_string(longest_subscribed_uri) +
             " bytes, which cannot be listened to";
    if (++count > most_listened_uris)
      return "resourceSubscriptions has more than " + std::to_string(most_listened_uris) +
             " URIs; listen to the others with another request";
    to.uris.insert(std::move(*uri));
  }
  return std::nullopt;
}

listen_complaint read_filter_member(std::string_view name, std::string_view value, listen_filter& to) {
  if (name == uris_member)
    return read_listened_uris(value, to);
  for (auto& words : all_listen_words)
    if (name == words.flag)
      return read_flag(words, value, to);
  return std::nullopt;
}

} // namespace

std::variant<listen_filter, std::string> read_listen_filter(const message& request) {
  auto filter = find_member(request.text, {"params", "notifications"});
  if (!filter || !filter->starts_with('{'))
    return "params.notifications must be an object that says what to listen to";
  listen_filter result;
  for (object_reader members{*filter}; members.next();)
    if (auto complaint = read_filter_member(members.key(), members.value(), result))
      return "params.notifications." + *complaint;
  return result;
}

listen_filter honoured(listen_filter filter, std::string_view capabilities) {
  for (auto& words : all_listen_words)
    if (!can_tell(capabilities, words.capability, "listChanged"))
      filter.lists.erase(words.group);
  if (!can_tell(capabilities, "resources", "subscribe"))
    filter.uris.clear();
  return filter;
}

std::string filter_text(const listen_filter& filter) {
  std::string members, uris;
  for (auto& words : all_listen_words)
    if (filter.lists.contains(words.group))
      members += (members.empty() ? "" : ",") + quoted(words.flag) + ":true";
  for (auto& uri : filter.uris)
    uris += (uris.empty() ? "" : ",") + quoted(uri);
  if (!uris.empty())
    members += (members.empty() ? "" : ",") + quoted(uris_member) + ":[" + uris + "]";
  return "{" + members + "}";
}

} // namespace troupe::protocol
