#include "protocol/message/methods.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace troupe::protocol {

namespace {

/// Methods of all revisions and known extensions; the most frequent first.
constexpr std::array<std::string_view, 20> all_client_methods{"tools/call",
                                                              "prompts/get",
                                                              "tools/list",
                                                              "resources/read",
                                                              "resources/list",
                                                              "resources/templates/list",
                                                              "resources/subscribe",
                                                              "resources/unsubscribe",
                                                              "prompts/list",
                                                              "completion/complete",
                                                              "logging/setLevel",
                                                              "initialize",
                                                              "ping",
                                                              "server/discover",
                                                              "subscriptions/listen",
                                                              "tasks/get",
                                                              "tasks/list",
                                                              "tasks/result",
                                                              "tasks/update",
                                                              "tasks/cancel"};

constexpr std::array<std::string_view, 14> core_namespaces{
    "tools", "prompts", "resources", "completion",  "logging",       "initialize",    "ping",
    "tasks", "roots",   "sampling",  "elicitation", "subscriptions", "notifications", "server"};

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Other characters become letters in some programs: a long s is an S in upper case.
bool is_visible_ascii(char c) { return c > ' ' && c < 0x7f; }

/// Returns the first word of a method; skips other characters before the word.
std::string_view first_word_of(std::string_view method) {
  const auto* begin = std::ranges::find_if(method, is_ascii_letter);
  return {begin, std::find_if_not(begin, method.end(), is_ascii_letter)};
}

/// Checks the members of an object, and the members of those that may name items.
bool is_spelt_otherwise(std::string_view object, std::initializer_list<std::string_view> names) {
  for (object_reader members{object}; members.next();)
    if (is_other_spelling(members.key(), names) ||
        (members.key() == "ref" && is_spelt_otherwise(members.value(), {"type", "name", "uri"})) ||
        (members.key() == "notifications" && is_spelt_otherwise(members.value(), {"resourceSubscriptions"})))
      return true;
  return false;
}

/// Converts to lower case, as Go folds it: a long s and the Kelvin sign are letters there, too.
std::string folded(std::string_view key) {
  auto result = lower(key);
  for (auto [sign, letter] : {std::pair{"\xc5\xbf", "s"}, {"\xe2\x84\xaa", "k"}})
    for (auto at = result.find(sign); at != result.npos; at = result.find(sign, at))
      result.replace(at, std::string_view{sign}.size(), letter);
  return result;
}

/// Cheap pre-check, as messages may have any number of members.
bool may_be_spelling_of(std::string_view key, std::string_view name) {
  constexpr std::size_t longest_sign = 3;
  return key.size() >= name.size() && key.size() <= longest_sign * name.size() &&
         (static_cast<unsigned char>(key.front()) >= 0x80 || same_word(key.substr(0, 1), name.substr(0, 1)));
}

} // namespace

std::string_view known_client_method(std::string_view method) {
  const auto* known = std::ranges::find(all_client_methods, method);
  return known != all_client_methods.end() ? *known : std::string_view{};
}

bool may_be_of(std::string_view method, std::string_view of_namespace) {
  return same_word(first_word_of(method), of_namespace) || !std::ranges::all_of(method, is_visible_ascii);
}

bool may_be_mistaken(std::string_view method) {
  if (!known_client_method(method).empty())
    return false;
  const auto is_first = [word = first_word_of(method)](std::string_view one) { return same_word(word, one); };
  return !std::ranges::all_of(method, is_visible_ascii) || std::ranges::any_of(core_namespaces, is_first);
}

/// Checks no params of unknown methods: their members are unknown.
bool has_other_spellings(const message& request) {
  for (object_reader members{request.text}; members.next();)
    if (is_other_spelling(members.key(), {"jsonrpc", "id", "method", "params"}) ||
        (members.key() == "params" && !known_client_method(request.method).empty() &&
         is_spelt_otherwise(members.value(), {"name", "uri", "ref", "notifications"})))
      return true;
  return false;
}

std::optional<rejection> refuse_form_of(const message& from_client) {
  if (is_notification(from_client) && !is_client_notification(from_client))
    return refusal(400, "Invalid Request: a request needs an id, and a notification begins with notifications/");
  if (!is_request(from_client) || !from_client.method.starts_with("notifications/"))
    return std::nullopt;
  auto result = refusal(400, "Invalid Request: a notification has no id");
  result.id = from_client.id;
  return result;
}

const removed_method* find_removed_method(std::string_view name) {
  static constexpr std::array all{
      removed_method{"initialize", "server/discover says what the server is capable of"},
      removed_method{"ping", "server/discover shows that the server answers"},
      removed_method{"logging/setLevel", "each request names in params._meta the level that it wants"},
      removed_method{"resources/subscribe", "subscriptions/listen takes its place"},
      removed_method{"resources/unsubscribe", "the end of subscriptions/listen takes its place"}};
  auto found = std::ranges::find(all, name, &removed_method::name);
  return found == all.end() ? nullptr : &*found;
}

bool is_spelling_of(std::string_view key, std::string_view name) {
  const auto seen = until_null(key);
  return key == name || (may_be_spelling_of(seen, name) && folded(seen) == lower(name));
}

bool is_other_spelling(std::string_view key, std::initializer_list<std::string_view> names) {
  auto is_one = [&](std::string_view name) { return is_spelling_of(key, name); };
  return std::ranges::find(names, key) == names.end() && std::ranges::any_of(names, is_one);
}

} // namespace troupe::protocol
