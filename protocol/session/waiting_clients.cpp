#include "protocol/session/waiting_clients.hpp"

#include "protocol/message/same_id.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::size_t bytes_of_client(const waiting_client& one) {
  auto post = std::get_if<waiting_post>(&one.wants);
  std::size_t result = 0;
  for (std::size_t i = 0; post && i < post->body.messages.size(); ++i)
    result += post->body.messages[i].text.size();
  return result;
}

} // namespace

std::string first_id(const waiting_client& one) {
  auto post = std::get_if<waiting_post>(&one.wants);
  return post ? post->body.messages.front().id : std::string{};
}

bool waiting_clients::push(waiting_client one) {
  auto bytes = bytes_of_client(one);
  if (!all_.empty() && (all_.size() >= most_ || bytes_ + bytes > most_bytes_))
    return false;
  bytes_ += bytes;
  all_.push_back(std::move(one));
  return true;
}

bool waiting_clients::has_request(std::string_view id) const {
  auto has_it = [&](const waiting_client& one) {
    auto post = std::get_if<waiting_post>(&one.wants);
    return post && std::ranges::any_of(post->body.messages,
                                       [&](auto& each) { return is_request(each) && same_id(each.id, id); });
  };
  return std::ranges::any_of(all_, has_it);
}

void waiting_clients::left(exchange_id exchange) {
  auto found = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.exchange == exchange; });
  if (found == all_.end())
    return;
  if (std::holds_alternative<waiting_listen>(found->wants))
    all_.erase(found);
  else
    found->left = true;
}

std::vector<waiting_client> waiting_clients::take() {
  bytes_ = 0;
  return std::exchange(all_, {});
}

} // namespace troupe::protocol
