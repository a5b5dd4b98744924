#include "protocol/modern_server/server_as_legacy.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/modern_server/legacy_conversion.hpp"

namespace troupe::protocol {

namespace {

bool names_our_version(std::optional<std::string_view> versions) {
  for (array_reader each{versions.value_or("")}; each.next();)
    if (string_value(each.value()) == modern_version)
      return true;
  return false;
}

constexpr const char* initialize_refused = "the remote MCP server refused to initialize";

std::string probe_id(std::uint64_t number) { return quoted("troupe-discover-" + std::to_string(number)); }

} // namespace

server_as_legacy::server_as_legacy(server_as_legacy_rules rules)
    : rules_{std::move(rules)}, server_{std::move(rules_.name), std::move(rules_.mark), rules_.waiting_bytes} {}

// -- from the user -------------------------------------------------------------------------

adapter_effects server_as_legacy::user_sent(message from, time_point now, envelope_of_user envelope) {
  adapter_effects out;
  if (phase_ == phase::idle && is_initialize(from))
    receive_user_initialize(std::move(from), now, out);
  else
    receive_from_user(std::move(from), std::move(envelope), now, out);
  return out;
}

void server_as_legacy::receive_from_user(message&& from, envelope_of_user envelope, time_point now,
                                         adapter_effects& out) {
  if (phase_ == phase::probing)
    hold(std::move(from), std::move(envelope), out);
  else if (phase_ == phase::stateless)
    server_.user_sent(std::move(from), now, out, std::move(envelope));
  else
    out.push_back(deliver_to_server{std::move(from)});
}

/// Without room, requests are refused, and other messages dropped silently, as they have no answer.
void server_as_legacy::hold(message&& from, envelope_of_user envelope, adapter_effects& out) {
  if (held_.fits(from.text.size(), rules_.waiting_bytes))
    held_.push({std::move(from), std::move(envelope)});
  else if (is_request(from))
    out.push_back(deliver_to_user{error_response(from.id, error_code::internal_error,
                                                 "Too many bytes wait for the MCP server: try again later")});
}

void server_as_legacy::receive_user_initialize(message&& from, time_point now, adapter_effects& out) {
  initialize_ = from;
  if (asks_first(from))
    return probe(now, out);
  phase_ = phase::greeting;
  out.push_back(deliver_to_server{std::move(from)});
}

bool server_as_legacy::asks_first(const message& initialize) const {
  auto may_speak_both = rules_.is_remote && rules_.known == server_era::automatic;
  return rules_.era == server_era::stateless || rules_.known == server_era::stateless ||
         (may_speak_both && initialize.claims_modern);
}

// -- from the server -----------------------------------------------------------------------

adapter_effects server_as_legacy::server_sent(message from, time_point now, std::string_view concerns) {
  adapter_effects out;
  auto is_answer = from.kind == message_kind::response;
  if (phase_ == phase::stateless)
    server_.server_sent(std::move(from), now, out, concerns);
  else if (phase_ == phase::probing) {
    if (is_answer && from.id == probe_id(probes_))
      receive_discovery(from, now, out);
  } else if (phase_ == phase::greeting && is_answer && names_request(from.id, initialize_->id))
    receive_initialize(std::move(from), now, out);
  else if (!is_answer || !is_probe(from.id))
    out.push_back(deliver_to_user{std::move(from)});
  return out;
}

/// True for the late answer to a probe.
bool server_as_legacy::is_probe(std::string_view id) const {
  for (auto number = probes_; number > 0; --number)
    if (id == probe_id(number))
      return true;
  return false;
}

void server_as_legacy::receive_initialize(message&& answer, time_point now, adapter_effects& out) {
  if (rules_.era == server_era::automatic && !refusal_ && may_be_modern(answer)) {
    refusal_ = std::move(answer);
    return probes_ > 0 && why_not_answered_.empty() && may_be_of_other_transport() ? greet(out) : probe(now, out);
  }
  if (!has_result(answer))
    answer = with_no_answer(std::move(answer));
  if (refusal_ && !has_result(answer))
    return end_start(std::move(answer), initialize_refused, out);
  phase_ = phase::session;
  refusal_.reset();
  initialize_.reset();
  if (probes_ > 0 && rules_.known != server_era::session && has_result(answer))
    out.push_back(note_era{server_era::session, why_not_answered_});
  // Forget the probes of a remote server: no answer to them can arrive.
  if (rules_.is_remote)
    probes_ = 0;
  out.push_back(deliver_to_user{std::move(answer)});
}

// -- finding out ---------------------------------------------------------------------------

void server_as_legacy::probe(time_point now, adapter_effects& out) {
  phase_ = phase::probing;
  answer_by_ = now + patience;
  message ours{.kind = message_kind::request, .text = "{}", .method = "server/discover"};
  out.push_back(deliver_to_server{client_envelope{*initialize_}.addressed(ours, probe_id(++probes_))});
}

void server_as_legacy::receive_discovery(const message& answer, time_point now, adapter_effects& out) {
  if (answer.outcome.is == call_outcome::kind::lost)
    return probe_was_not_answered(string_member(answer.text, {"error", "message"}), now, out);
  why_not_answered_.clear();
  auto result = find_member(answer.text, {"result"});
  if (result && names_our_version(find_member(*result, {"supportedVersions"})))
    return is_modern(*result, now, out);
  if (!names_versions(answer))
    return is_not_modern(result ? "it supports other revisions only" : "it refused server/discover", now, out);
  if (probes_ == 1 && names_our_version(find_member(answer.text, {"error", "data", "supported"})))
    return probe(now, out);
  auto supported = find_member(answer.text, {"error", "data", "supported"});
  refuse(names_our_version(supported)
             ? "The MCP server refuses protocol version " + std::string{modern_version} +
                   " though it names it among those that it supports"
             : "The MCP server supports none of the protocol versions that the gateway knows, only " +
                   std::string{*supported},
         out);
  release(now, out);
}

void server_as_legacy::is_modern(std::string_view discovered, time_point now, adapter_effects& out) {
  answer_by_ = time_point::max();
  phase_ = phase::stateless;
  if (rules_.known != server_era::stateless && (refusal_ || !rules_.is_remote))
    out.push_back(note_era{server_era::stateless});
  server_.begin(*initialize_, discovered, out);
  initialize_.reset();
  refusal_.reset();
  release(now, out);
}

void server_as_legacy::is_not_modern(const std::string& why, time_point now, adapter_effects& out) {
  answer_by_ = time_point::max();
  if (rules_.era == server_era::stateless)
    refuse("The MCP server does not speak revision " + std::string{modern_version} +
               ", which the `era` of its configuration demands: " + why,
           out);
  else if (refusal_ && !may_be_of_other_transport())
    refuse({}, out);
  else
    greet(out);
  release(now, out);
}

void server_as_legacy::greet(adapter_effects& out) {
  if (rules_.is_remote)
    out.push_back(start_again{});
  phase_ = phase::greeting;
  out.push_back(deliver_to_server{*initialize_});
}

/// An HTTP+SSE server may have no `initialize` at the first URL tried, and then answers like a stateless server.
bool server_as_legacy::may_be_of_other_transport() const {
  return rules_.is_remote && error_code_of(*refusal_) == error_code::method_not_found;
}

/// Answers the user's `initialize` with an error, if possible the server's own.
void server_as_legacy::refuse(const std::string& why, adapter_effects& out) {
  if (refusal_)
    return end_start(std::move(*refusal_), initialize_refused, out);
  end_start(error_response(initialize_->id, error_code::internal_error, why), why, out);
}

void server_as_legacy::end_start(message answer, const std::string& why, adapter_effects& out) {
  answer_by_ = time_point::max();
  phase_ = phase::session;
  refusal_.reset();
  initialize_.reset();
  out.push_back(deliver_to_user{std::move(answer)});
  if (rules_.is_remote)
    give_up_server(why, out);
}

/// Fails the held requests: a remote connection has no other user, and nothing more is sent over it.
void server_as_legacy::give_up_server(const std::string& why, adapter_effects& out) {
  for (auto& [one, envelope] : held_.extract_all())
    if (is_request(one))
      out.push_back(deliver_to_user{error_response(one.id, error_code::internal_error, why)});
  out.push_back(give_up{why});
}

/// Fails `initialize` without a verdict: the server's era is unknown, whatever it answered before.
void server_as_legacy::fail_remote(const std::string& why, bool is_shortage, adapter_effects& out) {
  auto answer = error_response(initialize_->id, error_code::internal_error,
                               "It was not found out which revisions the MCP server speaks: " + why);
  answer.is_shortage = is_shortage;
  end_start(std::move(answer), why, out);
}

void server_as_legacy::release(time_point now, adapter_effects& out) {
  for (auto& [one, envelope] : held_.extract_all())
    receive_from_user(std::move(one), std::move(envelope), now, out);
}

// -- ends ----------------------------------------------------------------------------------

adapter_effects server_as_legacy::server_lost(time_point now, bool is_shortage, const std::string& why) {
  adapter_effects out;
  if (phase_ != phase::probing)
    return out;
  answer_by_ = time_point::max();
  if (rules_.is_remote) {
    fail_remote(why, is_shortage, out);
  } else if (refusal_) {
    refuse({}, out);
  } else if (rules_.era == server_era::automatic && !is_shortage) {
    out.push_back(start_again{});
    greet(out);
    release(now, out);
  }
  return out;
}

/// A remote server may answer later; a silent process is not stateless (2026-07-28).
void server_as_legacy::probe_was_not_answered(const std::string& why, time_point now, adapter_effects& out) {
  if (rules_.is_remote)
    why_not_answered_ = why;
  if (rules_.is_remote && (refusal_ || rules_.era == server_era::stateless))
    fail_remote(why, false, out);
  else
    is_not_modern(why, now, out);
}

/// Adds to an error of `initialize` why `server/discover` was not answered, as the cause may be the same.
message server_as_legacy::with_no_answer(message&& refusal) const {
  auto said = find_member(refusal.text, {"error", "message"});
  auto text = said ? string_value(*said) : std::nullopt;
  if (why_not_answered_.empty() || !text)
    return std::move(refusal);
  auto longer = quoted(*text + " (server/discover was not answered before: " + why_not_answered_ + ")");
  auto with_cause = replacing(refusal.text, *said, std::move(longer));
  return spliced(std::move(refusal), {std::move(with_cause)});
}

adapter_effects server_as_legacy::tick(time_point now) {
  adapter_effects out;
  if (now >= answer_by_)
    probe_was_not_answered("it did not answer server/discover within " + seconds_text(patience), now, out);
  if (phase_ == phase::stateless)
    server_.tick(now, out);
  return out;
}

time_point server_as_legacy::deadline() const { return phase_ == phase::stateless ? server_.deadline() : answer_by_; }

} // namespace troupe::protocol
