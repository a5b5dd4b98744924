#include "protocol/message/skipped_message.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

namespace troupe::protocol {

namespace {

bool ends_scalar(char c) { return is_json_space(c) || std::string_view{",:{}[]\""}.find(c) != std::string_view::npos; }

/// Reads tokens from the front of a text; nullopt for a token that is cut off by the end of the text.
class forward_reader {
public:
  explicit forward_reader(std::string_view text) : rest_{text} {}

  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::string_view> string() {
    skip_space();
    return rest_.starts_with('"') ? taken(string_size(rest_)) : std::nullopt;
  }

  std::optional<std::string_view> value() {
    skip_space();
    if (rest_.starts_with('"'))
      return taken(string_size(rest_));
    if (rest_.starts_with('{') || rest_.starts_with('['))
      return taken(container_size());
    auto end = std::find_if(rest_.begin(), rest_.end(), ends_scalar);
    return taken(end == rest_.end() ? 0 : static_cast<std::size_t>(end - rest_.begin()));
  }

private:
  void skip_space() {
    rest_.remove_prefix(
        static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_json_space) - rest_.begin()));
  }

  /// Size of the string token; zero if it does not end.
  static std::size_t string_size(std::string_view text) {
    for (std::size_t at = 1; at < text.size(); ++at)
      if (text[at] == '\\')
        ++at;
      else if (text[at] == '"')
        return at + 1;
    return 0;
  }

  std::size_t container_size() const {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      auto c = rest_[at];
      depth += c == '{' || c == '[' ? 1 : 0;
      if ((c == '}' || c == ']') && --depth == 0)
        return at + 1;
      auto inner = c == '"' ? string_size(rest_.substr(at)) : 1;
      if (inner == 0)
        return 0;
      at += inner - 1;
    }
    return 0;
  }

  std::optional<std::string_view> taken(std::size_t size) {
    if (size == 0)
      return std::nullopt;
    auto result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }

  std::string_view rest_;
};

/// Reads tokens from the back of a text; nullopt for a token that begins before the text.
class backward_reader {
public:
  explicit backward_reader(std::string_view text) : rest_{text} {}

  bool take(char c) {
    skip_space();
    if (!rest_.ends_with(c))
      return false;
    rest_.remove_suffix(1);
    return true;
  }

  std::optional<std::string_view> string() {
    skip_space();
    return rest_.ends_with('"') ? taken(string_size(rest_)) : std::nullopt;
  }

  std::optional<std::string_view> value() {
    skip_space();
    if (rest_.ends_with('"'))
      return taken(string_size(rest_));
    if (rest_.ends_with('}') || rest_.ends_with(']'))
      return taken(container_size());
    auto end = std::find_if(rest_.rbegin(), rest_.rend(), ends_scalar);
    return taken(end == rest_.rend() ? 0 : static_cast<std::size_t>(end - rest_.rbegin()));
  }

private:
  void skip_space() {
    rest_.remove_suffix(
        static_cast<std::size_t>(std::find_if_not(rest_.rbegin(), rest_.rend(), is_json_space) - rest_.rbegin()));
  }

  /// Whether a quote belongs to the string: an odd number of backslashes precedes it.
  static bool is_escaped(std::string_view text, std::size_t at) {
    auto before = text.substr(0, at);
    auto other = before.find_last_not_of('\\');
    return (at - (other == before.npos ? 0 : other + 1)) % 2 == 1;
  }

  /// Size of the string token; zero if it does not begin.
  static std::size_t string_size(std::string_view text) {
    auto at = text.size() - 1;
    do {
      if (at == 0)
        return 0;
      at = text.rfind('"', at - 1);
    } while (at != text.npos && is_escaped(text, at));
    return at == text.npos ? 0 : text.size() - at;
  }

  std::size_t container_size() const {
    std::size_t depth = 0;
    for (auto at = rest_.size(); at-- > 0;) {
      auto c = rest_[at];
      depth += c == '}' || c == ']' ? 1 : 0;
      if ((c == '{' || c == '[') && --depth == 0)
        return rest_.size() - at;
      auto inner = c == '"' ? string_size(rest_.substr(0, at + 1)) : 1;
      if (inner == 0)
        return 0;
      at -= inner - 1;
    }
    return 0;
  }

  std::optional<std::string_view> taken(std::size_t size) {
    if (size == 0)
      return std::nullopt;
    auto result = rest_.substr(rest_.size() - size);
    rest_.remove_suffix(size);
    return result;
  }

  std::string_view rest_;
};

std::string_view unquoted(std::string_view token) { return token.substr(1, token.size() - 2); }

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

std::vector<cut_member> members_of_head(std::string_view head) {
  std::vector<cut_member> result;
  forward_reader from{head};
  for (auto more = from.take('{'); more; more = from.take(',')) {
    auto key = from.string();
    if (!key || !from.take(':'))
      break;
    auto value = from.value();
    result.push_back({unquoted(*key), value.value_or("")});
    if (!value)
      break;
  }
  return result;
}

std::vector<cut_member> members_of_tail(std::string_view tail) {
  std::vector<cut_member> result;
  backward_reader from{tail};
  for (auto more = from.take('}'); more; more = from.take(',')) {
    auto value = from.value();
    auto key = value && from.take(':') ? from.string() : std::nullopt;
    if (!key)
      break;
    result.push_back({unquoted(*key), *value});
  }
  return result;
}

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
