#include "actors/gateway/host_callbacks.hpp"

#include "actors/access_messages.hpp"
#include "actors/runtime/unit.hpp"
#include "actors/session/collectors.hpp"
#include "actors/troupe/log_level_names.hpp"
#include "net/child/family_usage.hpp"
#include "net/process_resources.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace troupe::actors {

namespace {

std::string log_level_name(log_level level) {
  return std::ranges::find(log_level_names, level, &std::pair<const char*, log_level>::second)->first;
}

answer_or_rejection not_taken() {
  return protocol::refusal(409, "the program that this gateway is part of does not take this order");
}

answer_or_rejection carried_out(const operator_orders& orders, const protocol::reload_configuration&) {
  if (!orders.reload)
    return protocol::refusal(409, "there is no configuration file to read again");
  auto why = orders.reload();
  return why.empty() ? answer_or_rejection{R"({"reloaded":true})"} : protocol::refusal(409, std::move(why));
}

answer_or_rejection carried_out(const operator_orders& orders, const protocol::drain_gateway&) {
  if (!orders.drain)
    return not_taken();
  orders.drain();
  return R"({"draining":true})";
}

answer_or_rejection carried_out(const operator_orders& orders, const protocol::log_level_command& what) {
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

/// The registry carries out all other orders.
template <class Order>
answer_or_rejection carried_out(const operator_orders&, const Order&) {
  return not_taken();
}

/// Sender for answers from any thread.
struct anyone {
  template <class Message>
  void send(const broker_actor& to, Message what) const {
    caf::anon_send(to, std::move(what));
  }
};

} // namespace

std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> host_consent::requester() {
  if (!judge_)
    return {};
  return [this](session_request what, std::uint64_t question, const registry_actor& by) {
    auto tell = [registry = caf::actor_addr{by.address()}, question](std::optional<protocol::rejection> why_not) {
      if (auto there = caf::actor_cast<registry_actor>(registry))
        caf::anon_send(there, session_decided{question, std::move(why_not)});
    };
    if (threads_.post([this, what = std::move(what), tell] { tell(refuse(what)); }) == 0)
      tell(protocol::unavailable("too many others wait to begin a session"));
  };
}

/// Queries the host. If it throws, the session is refused.
std::optional<protocol::rejection> host_consent::refuse(const session_request& what) const {
  try {
    auto why = judge_(what);
    return why.empty() ? std::nullopt : std::optional{protocol::refusal(403, protocol::one_line(why))};
  } catch (...) {
    log_(log_level::error, "whether a session may begin could not be found out",
         {{"why", text_of(std::current_exception())}});
    return protocol::unavailable("whether the session may begin could not be found out");
  }
}

std::optional<protocol::live_process::usage> measure_process(int pid) {
  const auto used = net::usage_of_family(pid);
  if (!used)
    return std::nullopt;
  return protocol::live_process::usage{used->resident_bytes, used->cpu, used->processes};
}

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

std::function<void(protocol::admin_command what, broker_actor broker)> order_carrier(operator_orders orders,
                                                                                     net::worker_pool& callbacks) {
  auto kept = std::make_shared<const operator_orders>(std::move(orders));
  return [kept, &callbacks](protocol::admin_command what, const broker_actor& broker) {
    const auto turn = callbacks.post([kept, what = std::move(what), broker] {
      const anyone from;
      answer_with(&from, broker, std::visit([&](auto& one) { return carried_out(*kept, one); }, what));
    });
    if (turn == 0)
      caf::anon_send(broker, http_rejected{protocol::unavailable("the gateway has no thread left for this")});
  };
}

} // namespace troupe::actors
