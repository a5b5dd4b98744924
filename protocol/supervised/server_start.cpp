#include "protocol/supervised/server_start.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace troupe::protocol {

namespace {

message list_changed(std::string_view group) {
  return gateway_message(R"({"jsonrpc":"2.0","method":"notifications/)" + std::string{group} + R"(/list_changed"})");
}

} // namespace

bool start_queue::has_room_for(user_id user, const message& what) const {
  if (of_users_.of(user) >= most_of_user_)
    return false;
  return is_initialize(what) || entries_.fits(what.text.size(), most_bytes_);
}

void start_queue::add(user_id user, message&& what) {
  of_users_.add(user);
  entries_.push({user, std::move(what)});
}

bool start_queue::withdraw(user_id user, std::string_view id) {
  auto is_it = [&](auto& one) {
    return one.user == user && is_request(one.what) && !is_initialize(one.what) && same_id(one.what.id, id);
  };
  return entries_.remove_first(is_it) && of_users_.remove(user);
}

void start_queue::drop(user_id user) {
  if (!of_users_.forget(user))
    return;
  for (auto& one : entries_.extract_all())
    if (one.user != user)
      entries_.push(std::move(one));
}

std::deque<start_queue::entry> start_queue::extract_all() {
  of_users_.clear();
  return entries_.extract_all();
}

const start_queue::entry* start_queue::first_initialize() const {
  auto found = std::ranges::find_if(entries_.items(), [](auto& one) { return is_initialize(one.what); });
  return found == entries_.items().end() ? nullptr : &*found;
}

// -- from users ----------------------------------------------------------------------------

void server_start::use(const message& initialize) {
  if (rules_.dedicated)
    users_initialize_ = initialize;
  if (users_initialize_)
    users_initialize_->trace = nullptr; // a later start belongs to no request
}

/// Queued messages need no deadline of their own: the start has one.
void server_start::hold(user_id user, message&& what, server_effects& out) {
  if (waiting_.has_room_for(user, what))
    return waiting_.add(user, std::move(what));
  if (is_initialize(what))
    users_.set_greeted(user);
  if (is_request(what))
    return users_.fail(user, what.id, "Too much waits for the MCP server to start", out);
  if (is_notification(what))
    out.push_back(
        log_note{log_note::weight::warning,
                 "a message was dropped, as too much waits for the server to start: " + one_line(what.method)});
}

bool server_start::withdraw(user_id user, std::string_view id) {
  if (!waiting_.withdraw(user, id))
    return false;
  users_.request_ended(user);
  return true;
}

void server_start::answer_initialize(user_id user, const message& initialize, server_effects& out) {
  users_.set_envelope(user, initialize, rules_.waiting_bytes);
  users_.answer(user, greeting_.answer_to(initialize), out);
}

// -- the server ----------------------------------------------------------------------------

void server_start::begin(time_point now, server_effects& out) {
  relayed_call one;
  if (auto first = waiting_.first_initialize(); first && users_initialize_)
    one = {.user = first->user, .token = first->what.reference};
  auto own = calls_.add_initialize(std::move(one), now);
  auto text =
      users_initialize_ ? relayed(*users_initialize_, own, own) : gateway_message(initialize_text(own, rules_.version));
  out.push_back(start_server{});
  out.push_back(send_to_server{std::move(text)});
}

std::optional<initialize_failure> server_start::read_answer(const message& answer) {
  auto read = read_initialize_outcome(answer);
  if (auto refused = std::get_if<initialize_failure>(&read))
    return std::move(*refused);
  greeting_ = std::get<initialize_outcome>(std::move(read));
  if (!rules_.dedicated)
    greeting_.leave_out_tasks();
  return std::nullopt;
}

/// The new server gets its predecessor's state before further messages of users, and users learn that the server
/// changed. A user whose own `initialize` is answered now sends `notifications/initialized` itself.
void server_start::complete(const message& answer, time_point now, server_effects& out) {
  if (!rules_.dedicated)
    users_initialize_.reset();
  users_.name_each(!rules_.dedicated && greeting_.takes_modern);
  auto user_confirms = rules_.dedicated && waiting_.first_initialize();
  if (!user_confirms && confirm())
    out.push_back(send_to_server{gateway_message(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")});
  relay_.server_ready(now, out);
  announce_again(out);
  for (auto& one : waiting_.extract_all())
    release(one, answer, now, out);
}

/// Users keep tools, prompts and resources that they have listed until notified of a change.
void server_start::announce_again(server_effects& out) {
  if (greeting_.tools)
    users_.tell_greeted(list_changed("tools"), out);
  if (greeting_.prompts)
    users_.tell_greeted(list_changed("prompts"), out);
  if (greeting_.resources)
    users_.tell_greeted(list_changed("resources"), out);
}

void server_start::release(start_queue::entry& one, const message& answer, time_point now, server_effects& out) {
  auto& [user, what] = one;
  if (!is_request(what))
    return pass(std::move(what), out);
  if (!is_initialize(what))
    return relay_.pass(user, std::move(what), now, out);
  users_.set_greeted(user);
  if (rules_.dedicated)
    users_.answer(user, relayed(answer, what.id, {}), out);
  else
    answer_initialize(user, what, out);
}

void server_start::pass(message&& notification, server_effects& out) {
  if (!notification.is_method("notifications/initialized") || confirm())
    out.push_back(send_to_server{std::move(notification)});
}

void server_start::fail(const start_loss& how, server_effects& out) {
  confirmed_ = false;
  for (auto& one : waiting_.extract_all())
    if (is_request(one.what))
      fail(one, how, out);
}

void server_start::fail(start_queue::entry& one, const start_loss& how, server_effects& out) {
  auto& [user, what] = one;
  auto begins = is_initialize(what);
  if (begins)
    users_.set_greeted(user);
  if (begins && how.refusal)
    return users_.answer(user, relayed(*how.refusal, what.id, {}), out);
  if (relay_.remember_level(user, what, out))
    return;
  auto answer = gateway_message(error_text(what.id, error_code::internal_error, how.why));
  answer.is_shortage = begins && how.is_shortage;
  answer.outcome = {call_outcome::kind::lost};
  users_.answer(user, std::move(answer), out);
}

void server_start::clear() {
  waiting_.extract_all();
  users_initialize_.reset();
  confirmed_ = false;
}

} // namespace troupe::protocol
