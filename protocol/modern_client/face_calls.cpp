#include "protocol/modern_client/face_calls.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

std::string name_of(const face_call& call) {
  auto name = std::string_view{call.params}.substr(call.name_at.at, call.name_at.size);
  return (call.method + " ").append(call.uri.empty() ? name : std::string_view{call.uri});
}

face_call& face_calls::add(face_call one) {
  auto own = one.own;
  auto& call = all_.try_emplace(own, std::move(one)).first->second;
  if (auto name = find_member(call.params, {"name"}))
    call.name_at = {static_cast<std::size_t>(name->data() - call.params.data()), name->size()};
  list(call);
  return call;
}

void face_calls::list(face_call& call) {
  call.turn = ++turns_;
  by_exchange_[*call.exchange] = &call;
  if (call.level)
    levels_.set(call.own, *call.level);
}

void face_calls::unlist(const face_call& call) {
  by_exchange_.erase(*call.exchange);
  levels_.forget(call.own);
}

face_call* face_calls::find(exchange_id own) {
  auto found = all_.find(own);
  return found == all_.end() ? nullptr : &found->second;
}

face_call* face_calls::find_by_exchange(exchange_id exchange) {
  auto found = by_exchange_.find(exchange);
  return found == by_exchange_.end() ? nullptr : found->second;
}

void face_calls::attach(face_call& call, exchange_id exchange, const message& request,
                        const request_envelope& envelope) {
  call.exchange = exchange;
  call.id = request.id;
  call.token = request.reference;
  call.level = envelope.log_level;
  call.can = envelope.can;
  call.asker = request.asker;
  list(call);
}

exchange_id face_calls::detach(face_call& call) {
  unlist(call);
  call.turn = ++turns_;
  return *std::exchange(call.exchange, std::nullopt);
}

void face_calls::remove(exchange_id own) {
  if (auto node = all_.extract(own); node && node.mapped().exchange)
    unlist(node.mapped());
}

std::vector<face_call*> face_calls::for_question(const calls_meant& about) {
  std::vector<face_call*> result;
  for (auto& [own, call] : all_)
    if (call.is_at_server && is_interactive(call.method) &&
        (!about || std::ranges::find(*about, std::to_string(own)) != about->end()))
      result.push_back(&call);
  return result;
}

face_call* face_calls::latest_for_question(const calls_meant& about) {
  auto all = for_question(about);
  auto rank = [](const face_call* one) { return std::pair{one->exchange.has_value(), one->turn}; };
  auto latest = std::ranges::max_element(all, {}, rank);
  return latest == all.end() ? nullptr : *latest;
}

std::vector<face_call*> face_calls::alike(const face_call& call, const calls_meant& about) {
  auto all = for_question(about);
  auto name = name_of(call);
  std::erase_if(
      all, [&](auto one) { return one->exchange.has_value() != call.exchange.has_value() || name_of(*one) != name; });
  return all;
}

const face_call* face_calls::only_at_server() const {
  const face_call* only = nullptr;
  for (auto& [own, call] : all_)
    if (call.is_at_server && std::exchange(only, &call))
      return nullptr;
  return only;
}

} // namespace troupe::protocol
