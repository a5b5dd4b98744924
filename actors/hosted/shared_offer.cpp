#include "actors/hosted/shared_offer.hpp"

#include <stdexcept>
#include <utility>

namespace troupe::actors {

namespace {

protocol::message changed(protocol::list_kind kind) {
  return protocol::gateway_message(R"({"jsonrpc":"2.0","method":")" +
                                   std::string{protocol::changed_method(protocol::group_of(kind))} + "\"}");
}

/// Schemas of tools must have the type object (2025-11-25, schema, "Tool").
void check_schema(const json::object& shown, std::string_view member) {
  const auto* schema = shown.if_contains(member);
  const auto* type = schema ? schema->as_object().if_contains("type") : nullptr;
  if (schema && (!type || *type != "object"))
    throw std::invalid_argument{"the schemas of a tool must be of type object"};
}

/// Checks the item as part of an answer, where it is nested deeper.
void check_item(protocol::list_kind kind, const json::object& shown) {
  const auto* key = shown.if_contains(protocol::key_member(kind));
  if (!key || !key->is_string() || key->get_string().empty())
    throw std::invalid_argument{"what a server offers needs a name, a resource a URI"};
  check_schema(shown, "inputSchema");
  check_schema(shown, "outputSchema");
  const json::object answer{{"result", {{"items", json::array{shown}}}}};
  if (const auto why = protocol::json_error(json::serialize(answer)))
    throw std::invalid_argument{"what a server offers must be valid JSON: " + *why};
}

std::shared_ptr<const call_handler> kept(call_handler handler) {
  if (!handler)
    throw std::invalid_argument{"what a server offers needs a handler"};
  return std::make_shared<const call_handler>(std::move(handler));
}

} // namespace

shared_offer::shared_offer(protocol::hosted_offer empty) : shared_{shared{.latest = {std::move(empty), {}}}} {}

std::shared_ptr<const shared_offer::snapshot> shared_offer::now() {
  return shared_.with([](shared& all) {
    if (!all.shown)
      all.shown = std::make_shared<const snapshot>(all.latest);
    return all.shown;
  });
}

std::shared_ptr<const call_handler> shared_offer::extract(snapshot& from, protocol::list_kind kind,
                                                          std::string_view key) {
  auto& list = from.offer.list(kind);
  auto* item = list.find(key);
  if (!item)
    return nullptr;
  auto node = from.handlers.extract(item->number);
  list.erase(key);
  return std::move(node.mapped());
}

void shared_offer::put(protocol::list_kind kind, json::object shown, call_handler handler) {
  check_item(kind, shown);
  auto added = kept(std::move(handler));
  auto before = shared_.with([&](shared& all) {
    auto removed = extract(all.latest, kind, std::string_view{shown.at(protocol::key_member(kind)).as_string()});
    all.latest.handlers.emplace(all.latest.offer.put(kind, std::move(shown)), std::move(added));
    return replaced{std::exchange(all.shown, nullptr), std::move(removed)};
  });
  notify_listeners(changed(kind));
}

bool shared_offer::remove(protocol::list_kind kind, std::string_view key) {
  auto before = shared_.with([&](shared& all) {
    auto removed = extract(all.latest, kind, key);
    return replaced{removed ? std::exchange(all.shown, nullptr) : nullptr, std::move(removed)};
  });
  if (!before.handler)
    return false;
  notify_listeners(changed(kind));
  return true;
}

void shared_offer::complete_by(call_handler handler) {
  auto added = kept(std::move(handler));
  auto before = shared_.with([&](shared& all) {
    all.latest.offer.completes = true;
    all.latest.handlers[0].swap(added);
    return std::exchange(all.shown, nullptr);
  });
}

void shared_offer::notify_listeners(const protocol::message& what) {
  auto listeners = shared_.with([](shared& all) { return all.listeners; });
  for (const auto& [id, tell] : listeners)
    tell(what);
}

shared_offer::listener_id shared_offer::listen(listener tell) {
  return shared_.with([&](shared& all) {
    all.listeners.emplace(++all.last, std::move(tell));
    return all.last;
  });
}

} // namespace troupe::actors
