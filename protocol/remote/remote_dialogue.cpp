#include "protocol/remote/remote_dialogue.hpp"

#include "protocol/message/era.hpp"
#include "protocol/text/words.hpp"

namespace troupe::protocol {

namespace {

void answer_with_error(const std::string& id, int code, std::string_view why, remote_effects& out) {
  out.push_back(deliver_message{gateway_message(error_text(id, code, why))});
}

std::string capitalised(std::string text) {
  if (text.starts_with("the "))
    text.front() = 'T';
  return text;
}

std::string uncapitalised(std::string text) {
  if (text.starts_with("The "))
    text.front() = 't';
  return text;
}

/// Rejects a version that cannot be sent back in a header field: it must be a short word of visible characters.
std::string version_of(std::string_view answer) {
  auto version = string_member(answer, {"result", "protocolVersion"});
  auto is_visible = [](char c) { return c > ' ' && c < '\x7f'; };
  return version.size() <= 64 && std::all_of(version.begin(), version.end(), is_visible) ? version : "";
}

} // namespace

// -- the user's side ------------------------------------------------------------

void remote_dialogue::user_sent(message from, remote_effects& out) {
  if (lost())
    return;
  if (is_request(from) && !receive_request(from, out))
    return;
  if (is_cancellation(from) && !receive_cancellation(from))
    return;
  hold(std::move(from), out);
}

/// False when the request was answered at once.
bool remote_dialogue::receive_request(const message& from, remote_effects& out) {
  auto refuse = [&](int code, std::string_view why) {
    answer_with_error(from.id, code, why, out);
    return false;
  };
  if (from.is_method("initialize") && begun())
    return refuse(error_code::invalid_request, "Invalid Request: already initialized");
  if (in_flight(from.id))
    return refuse(error_code::invalid_request, "Invalid Request: a request of this id is in flight");
  if (requests_.size() == most)
    return refuse(error_code::internal_error, "Too many requests to the remote MCP server are in flight");
  requests_.insert(from.id);
  if (from.is_method("initialize"))
    initialize_id_ = from.id;
  return true;
}

/// Removes a cancelled request, which gets no answer. False when the server need not be notified: it lacks the request,
/// or the request is `initialize`, which is never cancelled (2025-11-25, cancellation, "Behavior Requirements" 2).
bool remote_dialogue::receive_cancellation(const message& from) {
  if (begun() && starting() && from.reference == initialize_id_)
    return false;
  requests_.erase(from.reference);
  auto is_it = [&](const message& one) {
    return is_request(one) && one.id == from.reference && !one.is_method("initialize");
  };
  return !held_.remove_first(is_it);
}

/// A message that can be sent waits only until the caller takes the next one, and so always fits.
void remote_dialogue::hold(message from, remote_effects& out) {
  auto first = from.is_method("initialize");
  auto fits = held_.size() < most && held_.fits(from.text.size(), held_limit_);
  if (!fits && !first && !held_.is_empty()) {
    if (is_request(from))
      return fail(from.id, "Too much waits for the remote MCP server to be ready", out);
    return out.push_back(log_note{log_note::weight::warning, "too much waits for the server to be ready"});
  }
  held_.push(std::move(from), first);
}

bool remote_dialogue::has_next() const {
  if (held_.is_empty())
    return false;
  return phase_ == phase::fresh ? held_.items().front().is_method("initialize")
                                : phase_ == phase::agreed || phase_ == phase::open;
}

message remote_dialogue::next() {
  auto result = held_.pop();
  if (phase_ == phase::fresh) {
    phase_ = phase::starting;
    initialize_ = result;
  } else if (phase_ == phase::agreed && result.is_method("notifications/initialized")) {
    phase_ = phase::confirming;
  }
  return result;
}

// -- the server's side -----------------------------------------------------------

std::vector<std::string> remote_dialogue::server_wrote(std::string text, remote_effects& out) {
  std::vector<std::string> answered;
  const text_ends ends{text};
  auto read = read_body(std::move(text));
  if (auto bad = std::get_if<rejection>(&read)) {
    if (auto id = receive_malformed(ends, bad->text, out))
      answered.push_back(std::move(*id));
    return answered;
  }
  for (auto& one : std::get<post_body>(read).messages) {
    if (lost())
      break;
    if (auto id = server_sent(std::move(one), out))
      answered.push_back(std::move(*id));
  }
  return answered;
}

/// Returns the id of the request that the message answered, if it did.
std::optional<std::string> remote_dialogue::receive_malformed(const text_ends& text, std::string_view why,
                                                              remote_effects& out) {
  auto judged = classify_malformed(text, why);
  auto is_known = judged.for_user || judged.for_server;
  out.push_back(log_note{log_note::weight::warning, "server wrote something that is no MCP message: " + one_line(why) +
                                                        (is_known ? "; it was " + judged.what : "")});
  if (judged.for_server)
    hold(std::move(*judged.for_server), out);
  return judged.for_user ? receive_response(std::move(*judged.for_user), out) : std::nullopt;
}

std::optional<std::string> remote_dialogue::server_sent(message from, remote_effects& out) {
  if (from.kind == message_kind::response)
    return receive_response(std::move(from), out);
  out.push_back(deliver_message{std::move(from)});
  return std::nullopt;
}

/// Accepts the answer to request `7` with the id `"7"`, which some servers send.
std::string remote_dialogue::key_of(const std::string& id) const {
  auto number = in_flight(id) ? std::nullopt : own_id(id);
  return number ? std::to_string(*number) : id;
}

/// An answer to no request in flight is a normal race: the request was cancelled, or the stream was resumed.
std::optional<std::string> remote_dialogue::receive_response(message from, remote_effects& out) {
  if (from.id.empty())
    out.push_back(log_note{log_note::weight::warning, "server wrote an error that answers no request"});
  auto id = key_of(from.id);
  if (requests_.erase(id) == 0)
    return std::nullopt;
  from = relayed(std::move(from), id, {});
  if (!initializes(id)) {
    out.push_back(deliver_message{std::move(from)});
    return id;
  }
  out.push_back(deliver_message{from});
  receive_initialize_response(from, out);
  return id;
}

void remote_dialogue::receive_initialize_response(const message& from, remote_effects& out) {
  if (finds_era_ && may_be_modern(from)) {
    drop_held("The remote MCP server refused to initialize", out);
    refused_initialize_ = true;
    return restart_initialize();
  }
  if (find_member(from.text, {"error"}))
    return lose("the remote MCP server refused to initialize", out);
  version_ = version_of(from.text);
  initialize_.reset();
  phase_ = phase::agreed;
}

void remote_dialogue::drop_held(std::string_view why, remote_effects& out) {
  for (auto& one : held_.extract_all())
    if (is_request(one) && requests_.erase(one.id) != 0)
      answer_with_error(one.id, error_code::internal_error, why, out);
}

void remote_dialogue::restart_initialize(std::string first_refusal) {
  first_refusal_ = std::move(first_refusal);
  phase_ = phase::fresh;
  requests_.clear();
  initialize_id_.clear();
  initialize_.reset();
}

void remote_dialogue::fail(const std::string& id, std::string why, remote_effects& out) {
  if (requests_.erase(id) == 0)
    return;
  auto begins = initializes(id);
  if (begins && !first_refusal_.empty())
    why = "The remote MCP server speaks neither Streamable HTTP (" + first_refusal_ + ") nor HTTP+SSE (" + why + ")";
  auto refusal = gateway_message(error_text(id, error_code::internal_error, why));
  refusal.is_shortage = begins && shortage_;
  out.push_back(deliver_message{std::move(refusal)});
  if (begins)
    lose(std::move(why), out);
}

void remote_dialogue::fail_unanswered(const std::string& id, const std::string& why, remote_effects& out) {
  if (requests_.erase(id) == 0)
    return;
  auto failure = gateway_message(error_text(id, error_code::internal_error, why));
  failure.outcome = {call_outcome::kind::lost};
  out.push_back(deliver_message{std::move(failure)});
}

void remote_dialogue::initialized_arrived() {
  if (phase_ == phase::confirming)
    phase_ = phase::open;
}

void remote_dialogue::lose(std::string why, remote_effects& out) {
  if (lost())
    return;
  for (auto all = std::exchange(requests_, {}); auto& id : all)
    answer_with_error(id, error_code::internal_error, capitalised(why), out);
  lost_by_shortage_ = starting() && shortage_;
  phase_ = phase::lost;
  why_lost_ = uncapitalised(std::move(why));
  held_.extract_all();
  initialize_.reset();
}

void remote_dialogue::expire(const std::string& why, const std::vector<std::string>& begun, remote_effects& out) {
  for (auto& id : begun)
    fail(id, why, out);
  requests_.clear();
  expired_ = true;
  lose(why, out);
}

void remote_dialogue::lose_by(const std::string& id, std::string why, remote_effects& out) {
  if (requests_.erase(id) == 0)
    return;
  lose(std::move(why), out);
  lost_by_shortage_ = shortage_;
}

void remote_dialogue::start_again(std::string why) {
  first_refusal_ = std::move(why);
  phase_ = phase::fresh;
  held_.push(std::move(*initialize_), true);
  initialize_.reset();
}

} // namespace troupe::protocol
