#include "protocol/stateless/resource_listens.hpp"

#include "protocol/message/enclosing_uris.hpp"
#include "protocol/message/message_parts.hpp"
#include "protocol/text/number.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

/// Ids of our requests, JSON strings: no other request of the lease begins like that.
constexpr std::string_view listen_id_begin = "\"listen-";

std::string listen_id(std::uint64_t number) { return std::string{listen_id_begin} + std::to_string(number) + '"'; }

std::optional<std::uint64_t> listen_number(std::string_view id) {
  return read_number(id.substr(listen_id_begin.size(), id.size() - listen_id_begin.size() - 1));
}

} // namespace

// -- listens --------------------------------------------------------------------------

bool resource_listens::hold(exchange_id listen, const std::string& uri, const message& request,
                            stateless_effects& out) {
  auto [at, is_new] = all_.try_emplace(uri);
  at->second.asker = request.asker;
  at->second.listens.insert(listen);
  if (is_new)
    ask(*at, progress::subscribing, out);
  return at->second.is == progress::subscribed;
}

void resource_listens::release(exchange_id listen, const std::string& uri, stateless_effects& out) {
  auto at = all_.find(uri);
  if (at == all_.end())
    return;
  at->second.listens.erase(listen);
  undo_if_unheld(*at, out);
}

std::set<exchange_id> resource_listens::listens_to(std::string_view uri) const {
  std::set<exchange_id> result;
  for (auto part : enclosing_uris(uri))
    if (auto found = all_.find(part); found != all_.end())
      result.insert(found->second.listens.begin(), found->second.listens.end());
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
  return at->second.is == progress::subscribing ? subscribed(at, has_result(answer), out) : unsubscribed(at, out);
}

resource_listens::verdict resource_listens::subscribed(resources::iterator at, bool is_granted,
                                                       stateless_effects& out) {
  verdict result{.uri = at->first, .is_granted = is_granted, .listens = at->second.listens};
  if (is_granted) {
    at->second.is = progress::subscribed;
    undo_if_unheld(*at, out);
  } else {
    all_.erase(at);
  }
  return result;
}

/// Whatever the server said: what it still tells of, nobody is told.
resource_listens::verdict resource_listens::unsubscribed(resources::iterator at, stateless_effects& out) {
  if (at->second.listens.empty())
    all_.erase(at);
  else
    ask(*at, progress::subscribing, out);
  return {};
}

void resource_listens::lost() {
  asked_.clear();
  std::erase_if(all_, [](auto& one) { return one.second.is != progress::subscribed; });
}

void resource_listens::undo_if_unheld(resources::value_type& one, stateless_effects& out) {
  if (one.second.is == progress::subscribed && one.second.listens.empty())
    ask(one, progress::unsubscribing, out);
}

void resource_listens::ask(resources::value_type& one, progress next, stateless_effects& out) {
  auto& [uri, resource] = one;
  auto method = next == progress::subscribing ? "resources/subscribe" : "resources/unsubscribe";
  resource.is = next;
  asked_.emplace(++last_request_, uri);
  auto request = own_message(R"({"jsonrpc":"2.0","id":)" + listen_id(last_request_) + R"(,"method":")" + method +
                             R"(","params":{"uri":)" + quoted(uri) + "}}");
  request.asker = resource.asker;
  out.push_back(ask_server{std::move(request)});
}

} // namespace troupe::protocol
