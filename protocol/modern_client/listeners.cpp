#include "protocol/modern_client/listeners.hpp"

#include "protocol/message/request_envelope.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/message/subscribed_uris.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace troupe::protocol {

namespace {

/// Prefix of our request ids, JSON strings; no other request of the lease uses it.
constexpr std::string_view listen_id_begin = "\"listen-";

std::string listen_id(std::uint64_t number) { return std::string{listen_id_begin} + std::to_string(number) + '"'; }

std::optional<std::uint64_t> listen_number(std::string_view id) {
  return read_number(id.substr(listen_id_begin.size(), id.size() - listen_id_begin.size() - 1));
}

using listen_complaint = std::optional<std::string>;

bool can_tell(std::string_view capabilities, std::string_view group, std::string_view what) {
  return find_member(capabilities, {group, what}) == "true";
}

listen_complaint read_flag(const listen_members& words, std::string_view value, listen_filter& to) {
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
  if (name == "resourceSubscriptions")
    return read_listened_uris(value, to);
  for (auto& words : all_listen_members)
    if (name == words.flag)
      return read_flag(words, value, to);
  return std::nullopt;
}

std::string_view object_in(std::string_view object, std::string_view name) {
  auto found = find_member(object, {name});
  return found && found->starts_with('{') ? *found : "{}";
}

/// Adds the subscription id, which is the listen request's id, to a notification.
std::string tagged(std::string_view notification, std::string_view id) {
  auto params = object_in(notification, "params");
  auto meta = with_member(object_in(params, "_meta"), meta_key::subscription_id, id);
  return with_member(notification, "params", with_member(params, "_meta", meta));
}

std::string notification_text(std::string_view method, std::string_view params) {
  return R"({"jsonrpc":"2.0","method":)" + quoted(method) + R"(,"params":)" + std::string{params} + "}";
}

/// Memory that sets and maps need for one URI, in bytes, besides its text, which two of them hold.
constexpr std::size_t bytes_beside_uri = 256;

std::size_t bytes_of_uri(std::string_view uri) { return 2 * uri.size() + bytes_beside_uri; }

std::size_t bytes_of_listener(std::string_view id, const listen_filter& wants) {
  return std::transform_reduce(wants.uris.begin(), wants.uris.end(), id.size(), std::plus{},
                               [](auto& uri) { return bytes_of_uri(uri); });
}

constexpr std::string_view updated_method = "notifications/resources/updated";

} // namespace

// -- listens --------------------------------------------------------------------------

bool resource_listens::hold(exchange_id listen, const std::string& uri, const message& request,
                            stateless_effects& out) {
  auto& one = *all_.try_emplace(uri).first;
  auto& listens = one.second.listens;
  auto is_granted = std::ranges::any_of(
      listens, [&](auto& other) { return other.second.is_granted && other.second.who == request.requester; });
  listens.insert_or_assign(listen, holder{request.requester, is_granted});
  if (!is_granted)
    send_next(one, out);
  return is_granted;
}

void resource_listens::release(exchange_id listen, const std::string& uri, stateless_effects& out) {
  auto at = all_.find(uri);
  if (at == all_.end())
    return;
  at->second.listens.erase(listen);
  send_next(*at, out);
}

std::set<exchange_id> resource_listens::listens_to(std::string_view uri) const {
  std::set<exchange_id> result;
  if (all_.empty())
    return result;
  for (auto part : enclosing_uris(uri))
    if (auto found = all_.find(part); found != all_.end())
      for (auto& [exchange, one] : found->second.listens)
        result.insert(exchange);
  return result;
}

// -- the server -----------------------------------------------------------------------

bool resource_listens::is_ours(const message& answer) { return answer.id.starts_with(listen_id_begin); }

resource_listens::verdict resource_listens::answered(const message& answer, stateless_effects& out) {
  auto number = listen_number(answer.id);
  auto asked = number ? asked_.extract(*number) : decltype(asked_)::node_type{};
  if (!asked)
    return {};
  auto at = all_.find(asked.mapped());
  auto& one = at->second;
  verdict result{.uri = at->first, .is_granted = has_result(answer)};
  if (std::exchange(one.under_way, asked_for::nothing) == asked_for::subscribe)
    result.listens = settle(one, result.is_granted);
  else // regardless of the answer: later notifications would reach no client
    one.is_subscribed = false;
  send_next(*at, out);
  if (one.under_way == asked_for::nothing && one.listens.empty())
    all_.erase(at);
  return result;
}

/// Applies the answer to all listens of the same asker that wait for it.
std::set<exchange_id> resource_listens::settle(resource& one, bool is_granted) {
  one.is_subscribed = one.is_subscribed || is_granted;
  std::set<exchange_id> result;
  for (auto& [exchange, listen] : one.listens)
    if (!listen.is_granted && listen.who == one.latest) {
      listen.is_granted = is_granted;
      result.insert(exchange);
    }
  if (!is_granted)
    std::erase_if(one.listens, [&](auto& listen) { return result.contains(listen.first); });
  return result;
}

void resource_listens::lost() {
  asked_.clear();
  all_.clear();
}

void resource_listens::send_next(resources::value_type& one, stateless_effects& out) {
  auto& of = one.second;
  if (of.under_way != asked_for::nothing)
    return;
  auto waiting = std::ranges::find_if(of.listens, [](auto& listen) { return !listen.second.is_granted; });
  if (waiting != of.listens.end()) {
    of.latest = waiting->second.who;
    ask(one, asked_for::subscribe, out);
  } else if (of.is_subscribed && of.listens.empty()) {
    ask(one, asked_for::unsubscribe, out);
  }
}

void resource_listens::ask(resources::value_type& one, asked_for what, stateless_effects& out) {
  auto& [uri, of] = one;
  auto method = what == asked_for::subscribe ? "resources/subscribe" : "resources/unsubscribe";
  of.under_way = what;
  asked_.emplace(++last_request_, uri);
  auto request = gateway_message(R"({"jsonrpc":"2.0","id":)" + listen_id(last_request_) + R"(,"method":")" + method +
                                 R"(","params":{"uri":)" + quoted(uri) + "}}");
  request.requester = of.latest;
  out.push_back(forward_to_server{std::move(request)});
}

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
  for (auto& words : all_listen_members)
    if (!can_tell(capabilities, words.capability, "listChanged"))
      filter.lists.erase(words.group);
  if (!can_tell(capabilities, "resources", "subscribe"))
    filter.uris.clear();
  return filter;
}

std::string filter_text(const listen_filter& filter) { return listen_text(filter.lists, filter.uris); }

// -- from clients ---------------------------------------------------------------------

void listeners::listen(exchange_id exchange, const message& request, std::string_view capabilities,
                       stateless_effects& out) {
  auto refuse = [&](int code, std::string_view why) {
    out.push_back(refused_request(exchange, request.id, code, why));
  };
  auto read = read_listen_filter(request);
  if (auto why = std::get_if<std::string>(&read))
    return refuse(error_code::invalid_params, *why);
  if (all_.size() >= most_)
    return refuse(error_code::internal_error, "Subscription limit reached: end another one before the next");
  auto wants = honoured(std::get<listen_filter>(std::move(read)), capabilities);
  auto bytes = bytes_.try_acquire(bytes_of_listener(request.id, wants));
  if (!bytes)
    return refuse(error_code::internal_error, "Too many bytes are under way: try again later");
  listening one{.id = request.id, .wants = std::move(wants), .bytes = std::move(bytes)};
  auto at = all_.try_emplace(exchange, std::move(one)).first;
  for (auto& uri : at->second.wants.uris)
    at->second.awaited += resources_.hold(exchange, uri, request, out) ? 0 : 1;
  acknowledge_if_settled(at, out);
}

bool listeners::withdrawn(exchange_id exchange, stateless_effects& out) {
  auto at = all_.find(exchange);
  if (at == all_.end())
    return false;
  leave(at, out);
  return true;
}

// -- from the server ------------------------------------------------------------------

bool listeners::takes_answer(const message& answer, stateless_effects& out) {
  if (!resource_listens::is_ours(answer))
    return false;
  auto verdict = resources_.answered(answer, out);
  for (auto exchange : verdict.listens) {
    auto at = all_.find(exchange);
    --at->second.awaited;
    if (!verdict.is_granted)
      at->second.wants.uris.erase(verdict.uri);
    acknowledge_if_settled(at, out);
  }
  return true;
}

void listeners::receive_from_server(const message& notification, stateless_effects& out) {
  if (auto group = group_changed_by(notification.method))
    list_changed(*group, notification, out);
  else if (notification.is_method(updated_method))
    resource_updated(notification, out);
}

void listeners::list_changed(list_group group, const message& notification, stateless_effects& out) {
  for (auto& [exchange, one] : all_) {
    if (!one.wants.lists.contains(group))
      continue;
    if (one.is_acknowledged())
      out.push_back(send_notification{exchange, tagged(notification.text, one.id)});
    else
      one.changed_lists.insert(group);
  }
}

void listeners::resource_updated(const message& notification, stateless_effects& out) {
  auto uri = string_param(notification, "uri");
  for (auto exchange : resources_.listens_to(uri)) {
    auto& one = all_.at(exchange);
    if (one.is_acknowledged())
      out.push_back(send_notification{exchange, tagged(notification.text, one.id)});
    else if (!one.changed_resources.contains(uri))
      note_change(one, uri);
  }
}

/// If too much has changed before the acknowledgement, counts every resource of the listen as changed.
void listeners::note_change(listening& one, const std::string& uri) {
  auto is_one_more = one.changed_resources.size() < most_listened_uris;
  auto bytes = is_one_more ? bytes_.try_acquire(bytes_of_uri(uri)) : std::nullopt;
  if (!bytes) {
    one.changed_resources = one.wants.uris;
    return one.bytes_of_changes.clear();
  }
  one.changed_resources.insert(uri);
  one.bytes_of_changes.push_back(std::move(*bytes));
}

void listeners::server_lost(std::string_view why, stateless_effects& out) {
  resources_.lost();
  while (!all_.empty()) {
    auto& [exchange, one] = *all_.begin();
    auto last = one.is_acknowledged() ? ended(exchange, one.id)
                                      : refused_request(exchange, one.id, error_code::internal_error, why);
    last.how = one.is_acknowledged() ? call_outcome::kind::success : call_outcome::kind::lost;
    answer(all_.begin(), std::move(last), out);
  }
}

// -- all ------------------------------------------------------------------------------

send_response listeners::ended(exchange_id exchange, const std::string& id) {
  auto text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"resultType":"complete","_meta":)" +
              with_member("{}", meta_key::subscription_id, id) + "}}";
  return {exchange, std::move(text), 0};
}

void listeners::end(stateless_effects& out) {
  while (!all_.empty())
    answer(all_.begin(), ended(all_.begin()->first, all_.begin()->second.id), out);
}

void listeners::acknowledge_if_settled(place at, stateless_effects& out) {
  auto exchange = at->first;
  auto& one = at->second;
  if (!one.is_acknowledged())
    return;
  auto tell = [&](std::string_view method, std::string_view params) {
    out.push_back(send_notification{exchange, tagged(notification_text(method, params), one.id)});
  };
  tell("notifications/subscriptions/acknowledged", with_member("{}", "notifications", filter_text(one.wants)));
  for (auto group : std::exchange(one.changed_lists, {}))
    tell(changed_method(group), "{}");
  one.bytes_of_changes.clear();
  for (auto& uri : std::exchange(one.changed_resources, {}))
    if (resources_.listens_to(uri).contains(exchange))
      tell(updated_method, with_member("{}", "uri", quoted(uri)));
}

void listeners::answer(place at, send_response what, stateless_effects& out) {
  out.push_back(std::move(what));
  leave(at, out);
}

void listeners::leave(place at, stateless_effects& out) {
  for (auto& uri : at->second.wants.uris)
    resources_.release(at->first, uri, out);
  all_.erase(at);
}

} // namespace troupe::protocol
