#include "protocol/modern_client/resource_listens.hpp"

#include "protocol/message/enclosing_uris.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Prefix of our request ids, JSON strings; no other request of the lease uses it.
constexpr std::string_view listen_id_begin = "\"listen-";

std::string listen_id(std::uint64_t number) { return std::string{listen_id_begin} + std::to_string(number) + '"'; }

std::optional<std::uint64_t> listen_number(std::string_view id) {
  return read_number(id.substr(listen_id_begin.size(), id.size() - listen_id_begin.size() - 1));
}

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
    go_on(one, out);
  return is_granted;
}

void resource_listens::release(exchange_id listen, const std::string& uri, stateless_effects& out) {
  auto at = all_.find(uri);
  if (at == all_.end())
    return;
  at->second.listens.erase(listen);
  go_on(*at, out);
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
  go_on(*at, out);
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

void resource_listens::go_on(resources::value_type& one, stateless_effects& out) {
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

} // namespace troupe::protocol
