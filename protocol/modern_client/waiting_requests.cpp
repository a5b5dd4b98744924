#include "protocol/modern_client/waiting_requests.hpp"

#include "protocol/modern_client/modern_answer.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

bool waiting_requests::add(stateless_request& one) {
  auto bytes = bytes_.take(one.what.text.size());
  if (bytes)
    all_.push_back({std::move(one), std::move(*bytes)});
  return bytes.has_value();
}

bool waiting_requests::withdraw(exchange_id exchange) {
  return std::erase_if(all_, [&](auto& one) { return one.what.exchange == exchange; }) > 0;
}

std::vector<stateless_request> waiting_requests::take_all() {
  std::vector<stateless_request> result;
  for (auto& one : all_)
    result.push_back(std::move(one.what));
  all_.clear();
  return result;
}

std::vector<stateless_request> waiting_requests::take_listens() {
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
  for (auto& one : take_all()) {
    auto answer = refused_request(one.exchange, one.what.id, error_code::internal_error, why);
    answer.how = how;
    answer.is_shortage = is_shortage;
    out.push_back(std::move(answer));
  }
}

} // namespace troupe::protocol
