#include "protocol/session/agreement.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/methods.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

rejection bad_request(std::string text, std::string id = {}) {
  return {400, error_code::invalid_request, "Bad Request: " + std::move(text), std::move(id)};
}

/// Replaces the revision that an `initialize` asks for.
message asking_for(message initialize, std::string_view version) {
  auto asked = find_member(initialize.text, {"params", "protocolVersion"});
  if (!asked)
    return initialize;
  auto at = static_cast<std::size_t>(asked->data() - initialize.text.data());
  auto result = gateway_message(initialize.text.replace(at, asked->size(), quoted(version)));
  result.trace = std::move(initialize.trace);
  return result;
}

bool asks_for_known(const message& initialize) {
  auto version = find_string(initialize.text, {"params", "protocolVersion"});
  return !version || is_session_version(*version);
}

/// True if a batch has responses and other messages, which is not allowed.
bool mixes_responses(const post_body& body) {
  auto is_response = [](const message& one) { return one.kind == message_kind::response; };
  auto& all = body.messages;
  return std::any_of(all.begin(), all.end(), is_response) && !std::all_of(all.begin(), all.end(), is_response);
}

/// Lets requests pass: `client_requests` refuses them by their ids, except `ping`. Other messages must not precede
/// `initialize` at the server (2025-11-25, lifecycle, "Initialization").
std::optional<rejection> refuse_before_initialize(const message& first) {
  return is_request(first) ? std::nullopt : std::optional{bad_request("initialize comes first")};
}

} // namespace

// -- negotiation ---------------------------------------------------------------------------

message agreement::begin(message initialize) {
  stage_ = stage::asked;
  capabilities_ = read_capabilities(initialize.text);
  auto is_known = asks_for_known(initialize);
  return is_known ? std::move(initialize) : asking_for(std::move(initialize), newest_session_version);
}

message agreement::begin_again(std::string initialize, std::string version) {
  stage_ = stage::asked_again;
  version_ = std::move(version);
  capabilities_ = read_capabilities(initialize);
  return asking_for(gateway_message(std::move(initialize)), version_);
}

std::optional<std::string> agreement::answered(const message& answer) {
  auto version = find_string(answer.text, {"result", "protocolVersion"});
  if (stage_ == stage::asked_again && version != version_)
    return "its new server did not initialize as the one before";
  if (!has_result(answer))
    return "its server refused to initialize";
  if (!version || !is_session_version(*version))
    return "The MCP server answered initialize with a protocol version that is not known";
  version_ = std::move(*version);
  stage_ = stage::reached;
  return std::nullopt;
}

// -- rules that follow ---------------------------------------------------------------------

std::optional<rejection> agreement::refuse(const post_body& body) const {
  if (body.batch && version_ != batch_version)
    return bad_request("this session's revision has no batches");
  if (mixes_responses(body))
    return bad_request("a batch of responses has nothing else");
  for (auto& one : body.messages)
    if (auto bad = refuse_form_of(one))
      return bad;
  auto initialize = std::find_if(body.messages.begin(), body.messages.end(), is_initialize);
  if (initialize == body.messages.end())
    return stage_ == stage::none ? refuse_before_initialize(body.messages.front()) : std::nullopt;
  if (body.batch)
    return bad_request("initialize is never part of a batch");
  if (stage_ != stage::none)
    return bad_request("this session is already initialized", initialize->id);
  return std::nullopt;
}

bool agreement::is_too_early(const message& from_client) const {
  return stage_ == stage::asked || (stage_ == stage::none && !is_initialize(from_client));
}

bool agreement::must_wait(const message& from_server) const {
  return is_request(from_server) ? !initialized_ : stage_ != stage::reached;
}

} // namespace troupe::protocol
