#include "protocol/modern_client/modern_answer.hpp"

#include "protocol/message/cache_hints.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// True for results with caching hints (2026-07-28, caching).
bool is_cacheable(std::string_view method) { return list_asked_by(method) || method == "resources/read"; }

constexpr std::string_view no_object = "The MCP server gave a result that is no object";

/// The member's name needs no escaping.
std::string info_member(std::string_view server_info) {
  return std::string{'"'}.append(meta_key::server_info).append("\":").append(server_info);
}

/// Edits that add the members of 2026-07-28 to a result, found in one walk over its members.
class result_edits {
public:
  /// `is_modern`: the answer is already in the words of 2026-07-28.
  result_edits(std::string_view text, const modern_reader& reader, bool is_modern)
      : text_{text}, reader_{reader}, is_modern_{is_modern}, is_cacheable_{is_cacheable(reader.method)} {}

  std::vector<edit> of(std::string_view result, cache_hints hints) {
    auto has_others = cut_members(
        text_, result, [this](auto key, auto value) { return goes(key, value); }, edits_);
    auto more = is_cacheable_ ? cache_members(hints) + "," : "";
    more += result_members("complete", has_meta_ ? std::string_view{} : reader_.server_info);
    edits_.push_back(adding(text_, result, has_others, std::move(more)));
    return std::move(edits_);
  }

private:
  bool goes(std::string_view key, std::string_view value) {
    if (key == "_meta" && value.starts_with('{'))
      set_server_info(value);
    else if (key == "tools" && value.starts_with('[') && reader_.method == "tools/list")
      cut_execution(value);
    else if (key == "nextCursor" && list_asked_by(reader_.method))
      return !has_next_page(value, is_modern_);
    else
      return key == "_meta" || key == "resultType" || (is_cacheable_ && (key == "ttlMs" || key == "cacheScope"));
    return false;
  }

  void set_server_info(std::string_view meta) {
    has_meta_ = true;
    auto has_others = cut_members(
        text_, meta, [](auto key, auto) { return key == meta_key::server_info; }, edits_);
    if (!reader_.server_info.empty())
      edits_.push_back(adding(text_, meta, has_others, info_member(reader_.server_info)));
  }

  /// Removes `execution`, which tools of 2026-07-28 do not have: tasks are an extension.
  void cut_execution(std::string_view all) {
    for (array_reader tools{all}; tools.next();)
      cut_members(
          text_, tools.value(), [](auto key, auto) { return key == "execution"; }, edits_);
  }

  std::string_view text_;
  const modern_reader& reader_;
  bool is_modern_;
  bool is_cacheable_;
  bool has_meta_ = false;
  std::vector<edit> edits_;
};

/// Replacement for an error: its code and `data`.
struct other_error {
  int code;
  std::string data;
};

/// Replaces codes that 2026-07-28 lacks (missing resource) or forbids (undefined codes of its own range).
std::optional<other_error> other_error_for(int code, std::string_view uri) {
  if (code == error_code::resource_not_found)
    return other_error{error_code::invalid_params, uri.empty() ? "" : R"({"uri":)" + std::string{uri} + "}"};
  if (code == 0 || (code <= -32020 && code >= -32099))
    return other_error{error_code::internal_error, R"({"upstreamCode":)" + std::to_string(code) + "}"};
  return std::nullopt;
}

std::optional<send_response> wrong_refusal_in(const message& answer, const modern_reader& reader) {
  auto why = wrong_refusal(find_member(answer.text, {"error"}).value_or(""), reader.can);
  if (!why)
    return std::nullopt;
  return refused_request(reader.exchange, reader.id, error_code::internal_error, *why);
}

/// Adds `resultType` to a result without one, which counts as complete (2026-07-28, "Results"); clients would refuse
/// it. `result` is its start in the answer's text.
message with_type(message answer, std::string_view result) {
  if (member_start(result, {"resultType"}))
    return answer;
  auto whole = *find_member(answer.text, {"result"});
  auto edit = adding(answer.text, whole, object_reader{whole}.next(), result_members("complete", {}));
  return spliced(std::move(answer), {std::move(edit)});
}

/// Returns an outcome that the error code does not show; otherwise success.
call_outcome::kind outcome_kind(const message& answer) {
  using enum call_outcome::kind;
  const auto how = answer.outcome.is;
  return how == tool_error || how == lost ? how : success;
}

} // namespace

send_response modern_answer(message answer, const modern_reader& reader) {
  auto result = find_member(answer.text, {"result"});
  if (result && result->starts_with('{')) {
    auto hints = answer.claims_modern ? cache_hints_of(*result) : cache_hints{};
    auto edits = result_edits{answer.text, reader, answer.claims_modern}.of(*result, hints);
    auto modern = spliced(std::move(answer), std::move(edits));
    const auto how = outcome_kind(modern);
    return {reader.exchange, relayed(std::move(modern), reader.id, {}).text, 0, how};
  }
  if (result)
    return refused_request(reader.exchange, reader.id, error_code::internal_error, no_object);
  auto code = error_code_of(answer);
  if (auto refusal = answer.claims_modern ? wrong_refusal_in(answer, reader) : std::nullopt)
    return std::move(*refusal);
  auto is_lack = answer.claims_modern && code == error_code::missing_capability;
  auto other = is_lack ? std::nullopt : other_error_for(code, reader.uri);
  const auto how = outcome_kind(answer);
  const auto is_shortage = answer.is_shortage;
  if (!other)
    return {reader.exchange, relayed(std::move(answer), reader.id, {}).text, code, how, is_shortage};
  auto why = string_member(answer.text, {"error", "message"});
  return refused_request(reader.exchange, reader.id, other->code, why, other->data);
}

send_response passed_answer(message answer, const modern_reader& reader) {
  auto code = 0;
  if (auto result = member_start(answer.text, {"result"})) {
    if (!result->starts_with('{'))
      return refused_request(reader.exchange, reader.id, error_code::internal_error, no_object);
    answer = with_type(std::move(answer), *result);
  } else {
    if (auto refusal = wrong_refusal_in(answer, reader))
      return std::move(*refusal);
    code = error_code_of(answer);
  }
  replace_ids(answer, reader.id, {});
  const auto how = outcome_kind(answer);
  return {reader.exchange, std::move(answer.text), code, how, answer.is_shortage};
}

send_response refused_request(exchange_id exchange, std::string_view id, int code, std::string_view why,
                              std::string_view data) {
  return {exchange, data.empty() ? error_text(id, code, why) : error_text(id, code, why, data), code};
}

send_response lacks_capabilities(exchange_id exchange, std::string_view id, const client_profile& needed,
                                 std::string_view why) {
  return refused_request(exchange, id, error_code::missing_capability, why,
                         R"({"requiredCapabilities":)" + declared_capabilities(needed) + "}");
}

std::string result_members(std::string_view type, std::string_view server_info) {
  auto result = (R"("resultType":")" + std::string{type}).append(1, '"');
  if (!server_info.empty())
    result.append(R"(,"_meta":{)").append(info_member(server_info)).append(1, '}');
  return result;
}

} // namespace troupe::protocol
