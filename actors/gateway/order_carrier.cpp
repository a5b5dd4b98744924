#include "actors/gateway/order_carrier.hpp"

#include "actors/session/made_answer.hpp"
#include "actors/troupe/log_level_names.hpp"
#include "net/process_resources.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace troupe::actors {

namespace {

std::string log_level_name(log_level level) {
  return std::ranges::find(log_level_names, level, &std::pair<const char*, log_level>::second)->first;
}

made_answer not_taken() {
  return protocol::refusal(409, "the program that this gateway is part of does not take this order");
}

made_answer carried_out(const operator_orders& orders, const protocol::reload_configuration&) {
  if (!orders.reload)
    return protocol::refusal(409, "there is no configuration file to read again");
  auto why = orders.reload();
  return why.empty() ? made_answer{R"({"reloaded":true})"} : protocol::refusal(409, std::move(why));
}

made_answer carried_out(const operator_orders& orders, const protocol::drain_gateway&) {
  if (!orders.drain)
    return not_taken();
  orders.drain();
  return R"({"draining":true})";
}

made_answer carried_out(const operator_orders& orders, const protocol::log_level_order& what) {
  if (!orders.level || !orders.set_level)
    return not_taken();
  if (!what.level.empty()) {
    const auto named = std::ranges::find_if(log_level_names, [&](auto& one) { return what.level == one.first; });
    if (named == log_level_names.end())
      return protocol::refusal(400, "level has to be debug, info, warning or error");
    orders.set_level(named->second);
  }
  return "{\"level\":" + protocol::quoted(log_level_name(orders.level())) + "}";
}

/// The registry carries out all others.
template <class Order>
made_answer carried_out(const operator_orders&, const Order&) {
  return not_taken();
}

/// Answers from any thread.
struct anyone {
  template <class Message>
  void send(const broker_actor& to, Message what) const {
    caf::anon_send(to, std::move(what));
  }
};

} // namespace

protocol::live_node node_of(const gateway_options& options) {
  const auto& orders = options.orders;
  return {.name = options.cluster ? options.cluster->name : std::string{},
          .version = TROUPE_VERSION,
          .pid = net::process_number(),
          .log_level = orders.level ? log_level_name(orders.level()) : std::string{},
          .can = {.reload = orders.reload != nullptr,
                  .drain = orders.drain != nullptr,
                  .log_level = orders.set_level != nullptr,
                  .content = options.admin && options.admin->content}};
}

std::function<void(protocol::operator_order what, broker_actor broker)> order_carrier(operator_orders orders,
                                                                                      net::worker_pool& callbacks) {
  auto kept = std::make_shared<const operator_orders>(std::move(orders));
  return [kept, &callbacks](protocol::operator_order what, const broker_actor& broker) {
    const auto turn = callbacks.post([kept, what = std::move(what), broker] {
      const anyone from;
      answer_with(&from, broker, std::visit([&](auto& one) { return carried_out(*kept, one); }, what));
    });
    if (turn == 0)
      caf::anon_send(broker, http_rejected{protocol::unavailable("the gateway has no thread left for this")});
  };
}

} // namespace troupe::actors
