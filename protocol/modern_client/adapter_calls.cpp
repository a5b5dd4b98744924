#include "protocol/modern_client/adapter_calls.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

bool waiting_requests::add(stateless_request& one) {
  auto bytes = bytes_.try_acquire(one.what.text.size());
  if (bytes)
    all_.push_back({std::move(one), std::move(*bytes)});
  return bytes.has_value();
}

bool waiting_requests::withdraw(exchange_id exchange) {
  return std::erase_if(all_, [&](auto& one) { return one.what.exchange == exchange; }) > 0;
}

std::vector<stateless_request> waiting_requests::extract_all() {
  std::vector<stateless_request> result;
  for (auto& one : all_)
    result.push_back(std::move(one.what));
  all_.clear();
  return result;
}

std::vector<stateless_request> waiting_requests::extract_listens() {
  std::vector<stateless_request> result;
  std::erase_if(all_, [&](auto& one) {
    auto goes = is_listen(one.what);
    if (goes)
      result.push_back(std::move(one.what));
    return goes;
  });
  return result;
}

bool waiting_requests::is_listening(exchange_id exchange) const {
  return std::ranges::any_of(all_, [&](auto& one) { return one.what.exchange == exchange && is_listen(one.what); });
}

void waiting_requests::fail_all(std::string_view why, stateless_effects& out, call_outcome::kind how,
                                bool is_shortage) {
  for (auto& one : extract_all()) {
    auto answer = refused_request(one.exchange, one.what.id, error_code::internal_error, why);
    answer.how = how;
    answer.is_shortage = is_shortage;
    out.push_back(std::move(answer));
  }
}

std::string name_of(const adapter_call& call) {
  auto name = std::string_view{call.params}.substr(call.name_at.at, call.name_at.size);
  return (call.method + " ").append(call.uri.empty() ? name : std::string_view{call.uri});
}

adapter_call& adapter_calls::add(adapter_call one) {
  auto own = one.own;
  auto& call = all_.try_emplace(own, std::move(one)).first->second;
  if (auto name = find_member(call.params, {"name"}))
    call.name_at = {static_cast<std::size_t>(name->data() - call.params.data()), name->size()};
  list(call);
  return call;
}

void adapter_calls::list(adapter_call& call) {
  call.turn = ++turns_;
  by_exchange_[*call.exchange] = &call;
  if (call.level)
    levels_.set(call.own, *call.level);
}

void adapter_calls::unlist(const adapter_call& call) {
  by_exchange_.erase(*call.exchange);
  levels_.forget(call.own);
}

adapter_call* adapter_calls::find(exchange_id own) {
  auto found = all_.find(own);
  return found == all_.end() ? nullptr : &found->second;
}

adapter_call* adapter_calls::find_by_exchange(exchange_id exchange) {
  auto found = by_exchange_.find(exchange);
  return found == by_exchange_.end() ? nullptr : found->second;
}

void adapter_calls::attach(adapter_call& call, exchange_id exchange, const message& request,
                           const request_envelope& envelope) {
  call.exchange = exchange;
  call.id = request.id;
  call.token = request.reference;
  call.level = envelope.log_level;
  call.can = envelope.can;
  call.requester = request.requester;
  list(call);
}

exchange_id adapter_calls::detach(adapter_call& call) {
  unlist(call);
  call.turn = ++turns_;
  return *std::exchange(call.exchange, std::nullopt);
}

void adapter_calls::remove(exchange_id own) {
  if (auto node = all_.extract(own); node && node.mapped().exchange)
    unlist(node.mapped());
}

std::vector<adapter_call*> adapter_calls::for_question(const calls_meant& about) {
  std::vector<adapter_call*> result;
  for (auto& [own, call] : all_)
    if (call.is_at_server && is_interactive(call.method) &&
        (!about || std::ranges::find(*about, std::to_string(own)) != about->end()))
      result.push_back(&call);
  return result;
}

adapter_call* adapter_calls::latest_for_question(const calls_meant& about) {
  auto all = for_question(about);
  auto rank = [](const adapter_call* one) { return std::pair{one->exchange.has_value(), one->turn}; };
  auto latest = std::ranges::max_element(all, {}, rank);
  return latest == all.end() ? nullptr : *latest;
}

std::vector<adapter_call*> adapter_calls::alike(const adapter_call& call, const calls_meant& about) {
  auto all = for_question(about);
  auto name = name_of(call);
  std::erase_if(
      all, [&](auto one) { return one->exchange.has_value() != call.exchange.has_value() || name_of(*one) != name; });
  return all;
}

const adapter_call* adapter_calls::only_at_server() const {
  const adapter_call* only = nullptr;
  for (auto& [own, call] : all_)
    if (call.is_at_server && std::exchange(only, &call))
      return nullptr;
  return only;
}

} // namespace troupe::protocol
