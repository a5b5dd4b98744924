#include "actors/session/session_servers.hpp"

#include "protocol/access/challenge.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/merged_names.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace troupe::actors {

namespace {

std::shared_ptr<const protocol::permissions> rules_or_none(const member& one) {
  return one.access ? one.access : std::make_shared<const protocol::permissions>();
}

/// Merged servers, and the rules of each.
struct guarded_servers {
  std::vector<protocol::prefixed_server> servers;
  std::vector<std::shared_ptr<const protocol::permissions>> rules;
};

constexpr const char* server_is_gone = "the MCP server is gone";

} // namespace

protocol::guarded_items guarded_things_of(const std::shared_ptr<const protocol::permissions>& access) {
  if (!access)
    return nullptr;
  return [access](const protocol::named_item& shown) {
    return std::vector<protocol::guarded_item>{{shown.name, access}};
  };
}

protocol::guarded_items guarded_things_of(const std::vector<member>& members) {
  if (std::ranges::none_of(members, [](auto& one) { return one.access != nullptr; }))
    return nullptr;
  auto all = std::make_shared<guarded_servers>();
  for (auto& one : members) {
    all->servers.push_back({one.server.name, protocol::prefix_in_use(one.server, members.size() == 1)});
    all->rules.push_back(rules_or_none(one));
  }
  return [all](const protocol::named_item& shown) {
    const auto is_uri = shown.kind == protocol::offered::resource;
    std::vector<protocol::guarded_item> result;
    for (auto& one :
         is_uri ? protocol::items_of_uri(shown.name, all->servers) : protocol::items_of_name(shown.name, all->servers))
      result.push_back({std::move(one.original), all->rules[one.server]});
    return result;
  };
}

std::vector<member> usable_members(std::vector<member> all, const protocol::caller& who) {
  if (all.size() > 1)
    for (auto& one : all)
      one.server.plain_alone = false;
  std::erase_if(all, [&](auto& one) {
    return one.access && one.access->to_server(protocol::principal_of(who)).is != protocol::permit::kind::allowed;
  });
  return all;
}

std::string rights_key(const protocol::caller& who) {
  if (!who)
    return {};
  auto result = protocol::scopes_key(*who);
  for (auto& group : std::set<std::string>(who->groups.begin(), who->groups.end()))
    result.append(" ").append(std::to_string(group.size())).append(":").append(group);
  return result;
}

session_servers::session_servers(pinned<session_actor>* self, servers what)
    : self_{self}, upstream_{std::move(what.server),
                             what.what_for,
                             what.shown,
                             what.caller,
                             what.access,
                             what.peer,
                             self->at().metrics(),
                             !what.roots.pass(what.is_local)} {
  if (upstream_.is_known() && what.seal)
    cursors_ = std::make_unique<protocol::sealed_cursors>(what.seal);
  if (upstream_.is_known())
    access_ = what.access;
  guarded_ = upstream_.is_known() ? guarded_things_of(access_) : guarded_things_of(what.members);
  if (!upstream_.is_known())
    merged_ = std::make_unique<merged_servers>(self_, std::move(what.registry), std::move(what.shown), what.caller,
                                               what.catalog, usable_members(what.members, what.caller),
                                               std::move(what.seal), what.is_local);
  if (is_guarded())
    members_ = std::move(what.members);
  if (merged_ || is_guarded())
    caller_ = std::move(what.caller);
}

// -- from the client -----------------------------------------------------------------------

void session_servers::tell(protocol::message&& what) {
  if (merged_)
    return merged_->client_sent(std::move(what));
  auto refused = cursors_ ? cursors_->refuse(what) : std::nullopt;
  if (!refused)
    refused = upstream_.send(self_, std::move(what));
  if (refused)
    events_.emplace_back(from_server{cursors_ ? cursors_->for_client(std::move(*refused)) : std::move(*refused), {}});
}

/// Applies new credentials: another token may have other scopes.
bool session_servers::asks(const protocol::caller& caller) {
  if ((!is_guarded() && !merged_) || caller == caller_ || (caller && caller_ && *caller == *caller_))
    return false;
  caller_ = caller;
  upstream_.asks(caller);
  if (!is_guarded() || !merged_)
    return false;
  merged_->asks(caller);
  merged_->change(usable_members(members_, caller_));
  return true;
}

std::optional<protocol::rejection> session_servers::refuse(const protocol::post_body& body, const protocol::caller& who,
                                                           const std::vector<std::string>& every_request) const {
  if (!is_guarded())
    return std::nullopt;
  auto why = protocol::refuse_entry(body, guarded_, protocol::principal_of(who), every_request);
  return why ? std::move(why) : refuse(who, every_request);
}

/// Applies the access rule of the single server.
std::optional<protocol::rejection> session_servers::refuse(const protocol::caller& who,
                                                           const std::vector<std::string>& every_request) const {
  if (!access_)
    return std::nullopt;
  auto may = access_->to_server(protocol::principal_of(who));
  return may.is == protocol::permit::kind::lacks_scopes
             ? std::optional{protocol::insufficient_scope(every_request, may.scopes)}
             : std::nullopt;
}

void session_servers::drop() {
  upstream_.drop(self_);
  if (merged_)
    merged_->drop();
}

// -- from other actors ---------------------------------------------------------------------

void session_servers::receive(from_server& msg) {
  if (!merged_) {
    receive_from_upstream(std::move(msg));
    return;
  }
  merged_->server_sent(std::move(msg.message));
  for (auto& what : msg.more)
    merged_->server_sent(std::move(what));
}

/// Queues messages of the single server, as the client is to see them.
void session_servers::receive_from_upstream(from_server&& msg) {
  auto has_first = show(msg.message);
  for (auto& one : std::exchange(msg.more, {})) {
    if (!show(one))
      continue;
    if (has_first)
      msg.more.push_back(std::move(one));
    else
      msg.message = std::move(one);
    has_first = true;
  }
  if (has_first)
    events_.emplace_back(std::move(msg));
}

bool session_servers::show(protocol::message& what) {
  const auto is_shown = upstream_.show(self_, what);
  if (is_shown && cursors_)
    what = cursors_->for_client(std::move(what));
  return is_shown;
}

void session_servers::given(upstream_granted& msg) {
  if (merged_)
    merged_->given(msg);
  else
    upstream_.given(self_, msg);
}

void session_servers::lost(const server_lost& msg) {
  if (merged_)
    return merged_->lost(caf::actor_cast<caf::actor_addr>(self_->current_sender()), msg.why, msg.is_shortage);
  upstream_.lost(self_);
  if (cursors_)
    cursors_->server_lost();
  events_.emplace_back(msg);
}

void session_servers::gone(const caf::actor_addr& who) {
  if (merged_)
    merged_->lost(who, server_is_gone);
  else if (upstream_.leads_to(who))
    lost({server_is_gone});
}

void session_servers::change_members(std::vector<member> all) {
  if (!merged_)
    return;
  guarded_ = guarded_things_of(all);
  merged_->change(usable_members(all, caller_));
  members_ = is_guarded() ? std::move(all) : std::vector<member>{};
}

void session_servers::tick() {
  if (merged_)
    merged_->tick();
}

// -- results -------------------------------------------------------------------------------

std::optional<session_servers::server_event> session_servers::next() {
  if (!events_.empty()) {
    std::optional result{std::move(events_.front())};
    events_.pop_front();
    return result;
  }
  auto said = merged_ ? merged_->next() : std::nullopt;
  if (!said)
    return std::nullopt;
  if (auto* lost = std::get_if<server_lost>(&*said)) {
    are_over_ = true;
    return std::move(*lost);
  }
  return from_server{std::move(std::get<protocol::message>(*said)), {}};
}

void session_servers::restart(std::uint64_t server) const {
  upstream_.restart(self_);
  if (merged_)
    merged_->restart(server);
}

void session_servers::report(const collector_actor& to) const {
  upstream_.report(self_, to);
  if (merged_)
    merged_->report(to);
}

} // namespace troupe::actors
