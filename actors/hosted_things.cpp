#include "actors/hosted_things.hpp"

#include <stdexcept>
#include <utility>

namespace troupe::actors {

namespace {

protocol::message changed(protocol::list_kind kind) {
  return protocol::made(R"({"jsonrpc":"2.0","method":")" +
                        std::string{protocol::changed_method(protocol::group_of(kind))} + "\"}");
}

void check(protocol::list_kind kind, const json::object& shown) {
  auto* key = shown.if_contains(protocol::key_member(kind));
  if (!key || !key->is_string() || key->get_string().empty())
    throw std::invalid_argument{"what a server offers needs a name, a resource a URI"};
  if (auto why = protocol::json_error(json::serialize(shown)))
    throw std::invalid_argument{"what a server offers must be valid JSON: " + *why};
}

} // namespace

hosted_things::hosted_things(protocol::hosted_offer empty)
    : shared_{{std::make_shared<snapshot>(snapshot{std::move(empty), {}}), 0, {}}} {}

std::shared_ptr<const hosted_things::snapshot> hosted_things::now() {
  return shared_.with([](shared& all) -> std::shared_ptr<const snapshot> { return all.current; });
}

/// Who has a snapshot keeps it as it was.
hosted_things::snapshot& hosted_things::change(shared& all) {
  if (all.current.use_count() > 1)
    all.current = std::make_shared<snapshot>(*all.current);
  return *all.current;
}

/// Its owner lets go of the handler when nobody else is kept waiting: what it holds may be the host's.
std::shared_ptr<const call_handler> hosted_things::take(snapshot& from, protocol::list_kind kind,
                                                        std::string_view key) {
  auto& list = from.offer.list(kind);
  auto* item = list.find(key);
  if (!item)
    return nullptr;
  auto node = from.handlers.extract(item->number);
  list.erase(key);
  return std::move(node.mapped());
}

void hosted_things::put(protocol::list_kind kind, json::object shown, call_handler handler) {
  check(kind, shown);
  auto added = std::make_shared<const call_handler>(std::move(handler));
  auto before = shared_.with([&](shared& all) {
    auto& now = change(all);
    auto removed = take(now, kind, std::string_view{shown.at(protocol::key_member(kind)).as_string()});
    now.handlers.emplace(now.offer.put(kind, std::move(shown)), std::move(added));
    return removed;
  });
  say(changed(kind));
}

bool hosted_things::remove(protocol::list_kind kind, std::string_view key) {
  auto removed = shared_.with([&](shared& all) { return take(change(all), kind, key); });
  if (removed)
    say(changed(kind));
  return removed != nullptr;
}

void hosted_things::complete_by(call_handler handler) {
  auto added = std::make_shared<const call_handler>(std::move(handler));
  shared_.with([&](shared& all) {
    auto& now = change(all);
    now.offer.completes = true;
    now.handlers[0].swap(added);
  });
}

void hosted_things::say(const protocol::message& what) {
  shared_.with([&](shared& all) {
    for (auto& [id, tell] : all.listeners)
      tell(what);
  });
}

hosted_things::listener_id hosted_things::listen(listener tell) {
  return shared_.with([&](shared& all) {
    all.listeners.emplace(++all.last, std::move(tell));
    return all.last;
  });
}

void hosted_things::forget(listener_id who) {
  shared_.with([&](shared& all) { all.listeners.erase(who); });
}

} // namespace troupe::actors
