#include "protocol/message/skipped_message.hpp"

#include "protocol/message/same_id.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

bool ends_scalar(char c) { return is_json_space(c) || std::string_view{",:{}[]\""}.find(c) != std::string_view::npos; }

/// A text as it is read from its beginning.
struct front_side {
  static constexpr std::string_view opening = "{[", closing = "}]";

  static char at(std::string_view text, std::size_t place) { return text[place]; }
  static std::string_view part(std::string_view text, std::size_t size) { return text.substr(0, size); }
  static std::string_view rest(std::string_view text, std::size_t size) { return text.substr(size); }

  /// Size of the string token; zero if it does not end.
  static std::size_t string_size(std::string_view text) {
    for (std::size_t at = 1; at < text.size(); ++at)
      if (text[at] == '\\')
        ++at;
      else if (text[at] == '"')
        return at + 1;
    return 0;
  }
};

/// A text as it is read from its end.
struct back_side {
  static constexpr std::string_view opening = "}]", closing = "{[";

  static char at(std::string_view text, std::size_t place) { return text[text.size() - 1 - place]; }
  static std::string_view part(std::string_view text, std::size_t size) { return text.substr(text.size() - size); }
  static std::string_view rest(std::string_view text, std::size_t size) { return text.substr(0, text.size() - size); }

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
};

/// Reads tokens from one side of a text; nullopt for a token that is cut off on the other side.
template <class Side>
class token_reader {
public:
  explicit token_reader(std::string_view text) : rest_{text} {}

  bool consume(char c) {
    skip_space();
    return begins_with({&c, 1}) && taken(1);
  }

  std::optional<std::string_view> string() {
    skip_space();
    return begins_with("\"") ? taken(Side::string_size(rest_)) : std::nullopt;
  }

  std::optional<std::string_view> value() {
    skip_space();
    if (begins_with("\""))
      return string();
    if (begins_with(Side::opening))
      return taken(container_size());
    auto size = size_before(ends_scalar);
    return taken(size == rest_.size() ? 0 : size);
  }

private:
  bool begins_with(std::string_view any_of) const {
    return !rest_.empty() && any_of.find(Side::at(rest_, 0)) != any_of.npos;
  }

  void skip_space() {
    rest_ = Side::rest(rest_, size_before([](char c) { return !is_json_space(c); }));
  }

  template <class Test>
  std::size_t size_before(Test is_end) const {
    std::size_t result = 0;
    while (result < rest_.size() && !is_end(Side::at(rest_, result)))
      ++result;
    return result;
  }

  std::size_t container_size() const {
    std::size_t depth = 0;
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      auto c = Side::at(rest_, at);
      depth += Side::opening.find(c) != std::string_view::npos ? 1 : 0;
      if (Side::closing.find(c) != std::string_view::npos && --depth == 0)
        return at + 1;
      auto inner = c == '"' ? Side::string_size(Side::rest(rest_, at)) : 1;
      if (inner == 0)
        return 0;
      at += inner - 1;
    }
    return 0;
  }

  std::optional<std::string_view> taken(std::size_t size) {
    if (size == 0)
      return std::nullopt;
    return Side::part(std::exchange(rest_, Side::rest(rest_, size)), size);
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
  token_reader<front_side> from{head};
  for (auto more = from.consume('{'); more; more = from.consume(',')) {
    auto key = from.string();
    if (!key || !from.consume(':'))
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
  token_reader<back_side> from{tail};
  for (auto more = from.consume('}'); more; more = from.consume(',')) {
    auto value = from.value();
    auto key = value && from.consume(':') ? from.string() : std::nullopt;
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
