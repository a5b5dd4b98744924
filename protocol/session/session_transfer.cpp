#include "protocol/session/session_transfer.hpp"

#include "protocol/delivery/backlog.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <variant>

namespace troupe::protocol {

namespace {

std::size_t text_bytes(const forward& one) { return one.what.text.size(); }
std::size_t text_bytes(const reply& one) { return one.text.size(); }
std::size_t text_bytes(const publish& one) { return one.what.data.size(); }
std::size_t text_bytes(const remember& one) { return one.record.size(); }
std::size_t text_bytes(const keep_event& one) { return one.what.text.size(); }

std::size_t text_bytes(const deferred_request& one) {
  std::size_t result = 0;
  if (auto post = std::get_if<waiting_post>(&one))
    for (auto& each : post->body.messages)
      result += each.text.size();
  return result;
}

std::size_t text_bytes(const pass_on& one) { return text_bytes(one.what); }

/// Other effects have no text of a client or a server.
template <class Effect>
std::size_t text_bytes(const Effect&) {
  return 0;
}

bool is_record(const effect& one) { return std::holds_alternative<remember>(one); }

} // namespace

std::string first_id(const waiting_client& one) {
  auto post = std::get_if<waiting_post>(&one.wants);
  return post ? post->body.messages.front().id : std::string{};
}

std::size_t bytes_of_client(const waiting_client& one) { return text_bytes(one.wants); }

std::size_t bytes_of_effect(const effect& one) {
  return sizeof one + std::visit([](auto& each) { return text_bytes(each); }, one);
}

void waiting_clients::add(waiting_client one, const char* full, effects& out) {
  if (all_.is_empty() || (all_.size() < most_ && all_.fits(bytes_of_client(one), most_bytes_)))
    all_.push(std::move(one));
  else
    out.push_back(reject{one.exchange, unavailable(full, first_id(one))});
}

bool waiting_clients::holds(const post_body& body) const {
  auto waits = [&](const message& one) {
    return is_request(one) ? !one.is_method("ping") : is_cancellation(one) && has_request(one.reference);
  };
  return std::ranges::any_of(body.messages, waits);
}

bool waiting_clients::has_request(std::string_view id) const {
  auto has_it = [&](const waiting_client& one) {
    auto post = std::get_if<waiting_post>(&one.wants);
    return post && std::ranges::any_of(post->body.messages,
                                       [&](auto& each) { return is_request(each) && same_id(each.id, id); });
  };
  return std::ranges::any_of(all_.items(), has_it);
}

void waiting_clients::left(exchange_id exchange) {
  auto listened = [&](auto& one) {
    return one.exchange == exchange && std::holds_alternative<waiting_listen>(one.wants);
  };
  if (!all_.remove_first(listened))
    for (auto& one : all_.items())
      one.left = one.left || one.exchange == exchange;
}

void departure::pass_on_all(effects& out) {
  for (auto& one : waiting_.extract_all())
    if (!one.left)
      out.push_back(pass_on{one.exchange, std::move(one.wants)});
}

void departure::reject_all(effects& out) {
  for (auto& one : waiting_.extract_all())
    if (!one.left)
      out.push_back(reject{one.exchange, session_moves()});
}

bool restoration::holds(const waiting_client& one) const {
  auto post = std::get_if<waiting_post>(&one.wants);
  return !is_initialized() || (post && waiting_.holds(post->body));
}

void restoration::reject_all(const std::string& why, effects& out) {
  for (auto& one : waiting_.extract_all())
    if (!one.left)
      out.push_back(reject{one.exchange, unavailable(why, first_id(one))});
}

void pending_end::let_wait(waiting_client one, time_point now, effects& out) {
  deadline_ = std::min(deadline_, now + patience);
  waiting_.add(std::move(one), "too many requests wait for the end of the session", out);
}

std::vector<waiting_client> pending_end::extract_clients() {
  deadline_ = time_point::max();
  auto result = waiting_.extract_all();
  std::erase_if(result, [](auto& one) { return one.left; });
  return result;
}

void pending_end::confirm_all(effects& out) {
  for (auto& one : extract_clients())
    if (std::holds_alternative<waiting_end>(one.wants))
      out.push_back(confirm_end{one.exchange});
    else
      out.push_back(reject{one.exchange, session_not_found()});
}

void pending_end::refuse_all(effects& out) {
  for (auto& one : extract_clients())
    out.push_back(reject{one.exchange, end_unconfirmed(first_id(one))});
}

namespace {

/// Returns the errors for the answers in a text, which may be a batch.
std::vector<std::string> errors_for(const std::string& answers) {
  std::vector<std::string> result;
  read_each(answers, [&](const message& one) {
    if (one.kind == message_kind::response)
      result.push_back(error_text(one.id, error_code::internal_error, answer_lost));
  });
  return result;
}

std::string batch_text(const std::vector<std::string>& all) { return "[" + joined(all, ",") + "]"; }

} // namespace

effects answers_of_given_up(const effects& held, effects failed) {
  effects result;
  std::map<exchange_id, std::vector<std::string>> on_streams;
  for (auto& one : held)
    if (auto* answer = std::get_if<reply>(&one); answer && !answer->opens) {
      auto errors = errors_for(answer->text);
      result.push_back(reply{answer->exchange, is_batch(answer->text) ? batch_text(errors) : joined(errors, "")});
    } else if (auto* event = std::get_if<publish>(&one)) {
      std::ranges::move(errors_for(event->what.data), std::back_inserter(on_streams[event->exchange]));
    } else if (std::holds_alternative<reject>(one)) {
      result.push_back(one);
    }
  for (auto& one : failed)
    if (auto* event = std::get_if<publish>(&one))
      on_streams[event->exchange].push_back(std::move(event->what.data));
    else if (std::holds_alternative<reply>(one) || std::holds_alternative<reject>(one))
      result.push_back(std::move(one));
  for (auto& [exchange, errors] : on_streams)
    if (!errors.empty())
      result.push_back(reply{exchange, errors.size() == 1 ? std::move(errors.front()) : batch_text(errors)});
  return result;
}

void drop_answers(effects& all, std::size_t first, exchange_id to) {
  auto answers = [&](auto& one) {
    if constexpr (requires { one.exchange; })
      return one.exchange == to;
    else
      return false;
  };
  auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  all.erase(std::remove_if(begin, all.end(), [&](auto& one) { return std::visit(answers, one); }), all.end());
}

void held_effects::add(effects more) {
  for (auto& one : more) {
    if (is_record(one))
      drop_record();
    is_over_ = is_over_ || std::holds_alternative<end_session>(one) || std::holds_alternative<forget_session>(one);
    held_.push(std::move(one));
  }
}

std::optional<std::string_view> held_effects::failure() const {
  if (is_over_)
    return "it is over";
  if (held_.size() > most || bytes() > held_.allowed(most_bytes, backlog::least_bytes))
    return "it has too much to say";
  return std::nullopt;
}

void held_effects::drop_record() { held_.remove_first(is_record); }

effects held_effects::extract_all() {
  is_over_ = false;
  return held_.extract_all();
}

} // namespace troupe::protocol
