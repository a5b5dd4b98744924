#include "deploy/example/example_client.hpp"

#include <boost/json/serialize.hpp>

#include <iostream>
#include <utility>

namespace troupe::deploy {

namespace {

void write(const json::object& message) {
  std::cout << json::serialize(message) << std::endl; // flushed: the client waits for it
}

} // namespace

void example_client::answer(const json::value& id, json::object result) {
  write({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void example_client::refuse(const json::value& id, int code, std::string_view text) {
  write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
}

void example_client::notify(std::string_view method, json::object params) {
  write({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::int64_t example_client::request(std::string_view method, json::object params) {
  write({{"jsonrpc", "2.0"}, {"id", ++last_id_}, {"method", method}, {"params", std::move(params)}});
  return last_id_;
}

json::object object_at(const json::object& from, std::string_view key) {
  const auto* member = from.if_contains(key);
  return member && member->is_object() ? member->get_object() : json::object{};
}

std::string string_at(const json::object& from, std::string_view key) {
  const auto* member = from.if_contains(key);
  return member && member->is_string() ? std::string{member->get_string()} : std::string{};
}

} // namespace troupe::deploy
