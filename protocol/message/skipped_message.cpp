#include "protocol/message/skipped_message.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/rejection.hpp"

#include <vector>

namespace troupe::protocol {

namespace {

/// Known part of the envelope. If there are two different ids, none counts: peers disagree on which one does.
struct cut_envelope {
  std::string_view id;
  bool has_method = false;
  bool is_answer = false;

  void add(const std::vector<cut_member>& members) {
    for (auto& [key, value] : members) {
      has_method = has_method || key == "method";
      is_answer = is_answer || key == "result" || key == "error";
      if (key != "id")
        continue;
      ambiguous_ = ambiguous_ || (!id.empty() && !same_id(id, value));
      id = value;
    }
  }
  bool has_usable_id() const {
    return !id.empty() && !ambiguous_ && id.size() <= longest_id && (id.front() == '"' || own_id(id)) &&
           !json_error(id) && !has_half_character(id);
  }

private:
  bool ambiguous_ = false;
};

/// `to_server` and `to_user`: texts of the errors.
skipped_message judge(std::string_view head, std::string_view tail, std::string_view to_server,
                      std::string_view to_user) {
  cut_envelope is;
  is.add(members_of_head(head));
  is.add(members_of_tail(tail));
  if (is.has_method && is.has_usable_id())
    return {.for_server = gateway_message(error_text(is.id, error_code::invalid_request, to_server)),
            .what = "a request, which is answered with an error"};
  if (is.has_method)
    return {.what = "a notification, which is lost"};
  if (is.is_answer && is.has_usable_id())
    return {.for_user = gateway_message(error_text(is.id, error_code::internal_error, to_user)),
            .what = "the answer to a call, which fails"};
  if (is.is_answer)
    return {.what = "the answer to a call that cannot be told, which runs into its time limit"};
  return {.what = "no message that can be told; if it was an answer, its call runs into its time limit"};
}

} // namespace

std::string too_long_text(std::size_t limit) {
  return "is longer than " + std::to_string(limit) + " bytes; gateway.limits.messageBytes allows more";
}

skipped_message classify_skipped(std::string_view head, std::string_view tail, std::size_t limit) {
  auto why = too_long_text(limit);
  return judge(head, tail, "Invalid Request: the message " + why, "The MCP server's answer " + why);
}

skipped_message classify_malformed(const text_ends& of, std::string_view why) {
  std::string bare{why.substr(why.find(": ") == why.npos ? 0 : why.find(": ") + 2)};
  return judge(of.head(), of.tail(), "Invalid Request: " + bare, "The MCP server's answer is malformed: " + bare);
}

} // namespace troupe::protocol
