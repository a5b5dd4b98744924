#include "actors/session/gateway_servers.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

protocol::roots_rule roots_rule_of(roots wanted) {
  return {.of_this_machine = wanted != roots::none, .of_others = wanted == roots::pass};
}

/// Returns the cause in a session's error, without secrets. If that ends with the cause of the server's last failure,
/// only that: what is before it has the time of the next try, and differs from session to session.
std::string cause_in(std::string error, const gateway_server& server) {
  error = server.failures->masked(std::move(error));
  return server.failures->diagnostics()->with([&](auto& known) {
    const auto is_known = !known.failures().empty() && error.ends_with(known.failures().back().why);
    return is_known ? known.failures().back().why : std::move(error);
  });
}

} // namespace

std::vector<gateway_server> gateway_servers::change(std::vector<server_options> wanted) {
  auto before = std::exchange(all_, {});
  for (auto& options : wanted) {
    auto same = std::ranges::find_if(before, [&](auto& one) { return one.options == options; });
    if (same == before.end()) {
      all_.push_back(begin(std::move(options)));
    } else {
      all_.push_back(std::move(*same));
      before.erase(same);
    }
  }
  forget_problems();
  return before;
}

gateway_server gateway_servers::begin(server_options options) {
  auto setup = make_setup_(options);
  server_actor actor = spawn_linked<configured_server_state>(registry_, registry_->at(), registry_->address(), setup);
  auto ends = options.on_loss == on_loss::end_sessions;
  auto roots = roots_rule_of(options.roots);
  auto prefix = options.prefixed ? options.prefix.empty() ? setup->name : options.prefix : std::string{};
  protocol::catalog_server listed{.id = ++last_,
                                  .name = setup->name,
                                  .prefix = std::move(prefix),
                                  .plain_alone = options.prefix.empty(),
                                  .eager = options.eager,
                                  .ends_session = ends};
  return {std::move(options),
          setup->rules.request,
          {std::move(listed), std::move(actor), setup->access, setup->peer, roots},
          setup->sharing_key,
          setup->sharing.shared || setup->sharing.shares_modern,
          setup->essential ? std::string{protocol::not_greeted_yet} : std::string{},
          setup->failures};
}

std::optional<std::uint64_t> gateway_servers::replace(const caf::actor_addr& failed) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.as_member.actor.address() == failed; });
  if (found == all_.end())
    return std::nullopt;
  auto id = found->as_member.server.id;
  *found = begin(std::move(found->options));
  forget_problems();
  return id;
}

gateway_server* gateway_servers::find(std::uint64_t id) {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.as_member.server.id == id; });
  return found == all_.end() ? nullptr : &*found;
}

void gateway_servers::remember(server_known&& what) {
  auto found = find(what.server);
  if (!found)
    return;
  auto& server = found->as_member.server;
  server.slow = what.result.empty();
  if (!server.slow && !found->sharing_key)
    server.known = std::move(what.result);
}

/// Servers that are no longer configured are ignored: a session may still have them.
std::optional<std::string> gateway_servers::note(name_omitted&& what) {
  auto shown = find(what.what.shown), hidden = find(what.what.hidden);
  if (!shown || !hidden)
    return std::nullopt;
  auto text = clash_text(what.what, shown->as_member.server.name, hidden->as_member.server.name);
  return clashes_.add(std::move(what.what)) ? std::optional{std::move(text)} : std::nullopt;
}

std::optional<std::string> gateway_servers::note(list_part_changed&& what, protocol::time_point now) {
  using state = list_part_changed::state;
  auto server = find(what.which.server);
  if (!server)
    return std::nullopt;
  what.why = cause_in(std::move(what.why), *server);
  auto is_new = false;
  if (what.is == state::failed)
    is_new = failed_lists_.failed(what.which, what.why, what.has_failed_before, now);
  else if (what.is == state::recovered)
    failed_lists_.recovered(what.which);
  else
    failed_lists_.session_ended(what.which);
  return is_new ? std::optional{failure_text(what.which, what.why, server->as_member.server.name)} : std::nullopt;
}

void gateway_servers::note(const caf::strong_actor_ptr& server, server_readiness&& what) {
  for (auto& one : all_)
    if (one.as_member.actor == server) {
      one.why_not_ready = std::move(what.why_not);
      return;
    }
}

std::int64_t gateway_servers::count_unready() const {
  return std::ranges::count_if(all_, [](auto& one) { return !one.why_not_ready.empty(); });
}

std::vector<protocol::unready> gateway_servers::unready() const {
  std::vector<protocol::unready> result;
  for (auto& one : all_)
    if (!one.why_not_ready.empty())
      result.push_back({"server", one.as_member.server.name, one.why_not_ready});
  return result;
}

std::vector<std::string> gateway_servers::problems() {
  std::vector<std::string> result;
  for (auto& one : clashes_.all())
    result.push_back(clash_text(one, find(one.shown)->as_member.server.name, find(one.hidden)->as_member.server.name));
  for (auto& [which, why] : failed_lists_.all())
    result.push_back(failure_text(which, why, find(which.server)->as_member.server.name));
  return result;
}

void gateway_servers::forget_problems() {
  std::vector<std::uint64_t> ids;
  for (auto& one : all_)
    ids.push_back(one.as_member.server.id);
  clashes_.keep_only(ids);
  failed_lists_.keep_only(ids);
}

std::vector<member> gateway_servers::members() const {
  std::vector<member> result;
  for (auto& one : all_)
    result.push_back(one.as_member);
  return result;
}

std::vector<protocol::server_paths::server> gateway_servers::paths() const {
  std::vector<protocol::server_paths::server> result;
  for (auto& one : all_)
    result.push_back(
        {one.as_member.server.name, one.options.recovery == recovery::restore, one.as_member.server.plain_alone});
  return result;
}

std::chrono::milliseconds gateway_servers::longest_request() const {
  std::chrono::milliseconds result{0};
  for (auto& one : all_)
    result = std::max(result, one.request);
  return result;
}

} // namespace troupe::actors
