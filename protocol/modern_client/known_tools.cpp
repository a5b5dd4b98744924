#include "protocol/modern_client/known_tools.hpp"

#include "protocol/message/lists.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace troupe::protocol {

namespace {

std::optional<double> read_double(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

/// Largest integer that `double` holds exactly. Larger ones must not be sent (2026-07-28, transports, "Value
/// Encoding").
constexpr double largest_exact = 9007199254740991;

bool is_same_number(std::string_view token, std::string_view text) {
  auto one = read_double(token), other = read_double(text);
  return token == text || (one && other && *one == *other && std::abs(*one) <= largest_exact);
}

/// True if a JSON value equals the decoded value of a header field.
bool says_same(std::string_view token, std::string_view text) {
  if (token.starts_with('"'))
    return string_value(token) == text;
  if (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'))
    return is_same_number(token, text);
  return token == text && (token == "true" || token == "false");
}

/// Compares the header field of a rule with every value of its argument in the call: peers disagree on which of several
/// values counts. A `null` argument counts as absent.
class field_check {
public:
  field_check(const argument_rule& rule, const header_fields& fields) : rule_{rule} {
    auto is_named = [&](auto& field) { return same_word(field.first, rule.header); };
    count_ = std::ranges::count_if(fields, is_named);
    if (count_ > 0)
      value_ = decoded_header(std::ranges::find_if(fields, is_named)->second);
  }

  const std::vector<std::string>& path() const { return rule_.path; }
  void saw(std::string_view argument) {
    is_absent_ = is_absent_ && argument == "null";
    is_same_ = is_same_ && value_ && says_same(argument, *value_);
  }
  /// Returns the reason for a refusal; empty if there is none.
  std::string complaint() const {
    auto why = reason();
    return why.empty() ? "" : "Header mismatch: Mcp-Param-" + rule_.header + std::string{why};
  }

private:
  std::string_view reason() const {
    if (count_ == 0)
      return is_absent_ ? "" : " is missing; it repeats an argument that is there";
    if (count_ > 1)
      return " may come once";
    if (is_absent_)
      return " is there, but the argument that it repeats is not";
    if (!value_)
      return " has the marks of base64, but no base64 of UTF-8 between them";
    return is_same_ ? "" : " is not what its argument is";
  }

  const argument_rule& rule_;
  std::ptrdiff_t count_ = 0;
  /// Decoded value of the field; empty if it cannot be decoded.
  std::optional<std::string> value_;
  bool is_absent_ = true, is_same_ = true;
};

/// Passes the arguments in `object`, at that depth of `arguments`, to the checks whose paths lead to them. Uses a
/// single walk, as calls may be long.
void show(std::string_view object, std::size_t depth, const std::vector<field_check*>& checks) {
  for (object_reader members{object}; members.next();) {
    std::vector<field_check*> deeper;
    for (auto* one : checks)
      if (one->path()[depth] != members.key())
        continue;
      else if (one->path().size() == depth + 1)
        one->saw(members.value());
      else
        deeper.push_back(one);
    if (!deeper.empty())
      show(members.value(), depth + 1, deeper);
  }
}

std::string first_complaint(const message& tools_call, const std::vector<argument_rule>& rules,
                            const header_fields& fields) {
  std::vector<field_check> checks;
  for (auto& rule : rules)
    checks.emplace_back(rule, fields);
  std::vector<field_check*> all;
  for (auto& one : checks)
    all.push_back(&one);
  for (auto params : members_named(tools_call.text, "params"))
    for (auto arguments : members_named(params, "arguments"))
      show(arguments, 0, all);
  for (auto& one : checks)
    if (auto why = one.complaint(); !why.empty())
      return why;
  return {};
}

} // namespace

std::optional<rejection> argument_rules::refuse(const message& tools_call, const header_fields& arguments) const {
  if (tools_.empty())
    return std::nullopt;
  auto* rules = tools_.of(name_param(tools_call));
  if (!rules)
    return std::nullopt;
  auto why = first_complaint(tools_call, *rules, arguments);
  if (why.empty())
    return std::nullopt;
  return rejection{.status = 400, .code = error_code::header_mismatch, .text = std::move(why), .id = tools_call.id};
}

void known_tools::fetch(time_point now, adapter_requests& ours, stateless_effects& out) {
  if (is_ != phase::unknown || now < next_try_)
    return;
  is_ = phase::asked;
  pages_ = 0;
  was_begun_again_ = false;
  ask_first(ours, out);
}

void known_tools::ask_first(adapter_requests& ours, stateless_effects& out) {
  reading_.reset();
  has_changed_ = false;
  ours.ask({adapter_requests::purpose::tools_page}, "tools/list", "{}", out);
}

/// Accepts a list that changed again during its second reading; the next call reads it again.
void known_tools::receive_page(const message& answer, time_point now, adapter_requests& ours, stateless_effects& out) {
  auto result = find_member(answer.text, {"result"}).value_or("");
  auto is_read = result.starts_with('{');
  learn(reading_, result);
  auto has_room = ++pages_ < most_tool_pages;
  if (is_read && has_changed_ && has_room && !std::exchange(was_begun_again_, true))
    return ask_first(ours, out);
  auto cursor = is_read ? find_member(result, {"nextCursor"}).value_or("") : "";
  if (has_next_page(cursor, answer.claims_modern) && has_room)
    return ours.ask({adapter_requests::purpose::tools_page}, "tools/list", R"({"cursor":)" + std::string{cursor} + "}",
                    out);
  if (is_read || !was_read_)
    known_ = std::move(reading_);
  is_ = is_read && !has_changed_ ? phase::known : phase::unknown;
  was_read_ = was_read_ || is_read;
  if (!is_read)
    next_try_ = now + tool_list_pause;
}

void known_tools::learn(std::string_view result) {
  learn(known_, result);
  if (is_ == phase::asked)
    learn(reading_, result);
}

void known_tools::learn(kept_tools& to, std::string_view result) {
  if (!to)
    to = std::make_unique<tools>();
  to->learn(result);
  if (to->is_empty())
    to.reset();
}

void known_tools::tools::learn(std::string_view result) {
  arguments.learn(result);
  for (array_reader each{find_member(result, {"tools"}).value_or("")}; each.next();)
    learn_tool(each.value());
}

void known_tools::tools::learn_tool(std::string_view tool) {
  if (!tool.starts_with('{'))
    return;
  auto name = string_member(tool, {"name"});
  tasks.erase(name);
  if (string_member(tool, {"execution", "taskSupport"}) == "required" && tasks.size() < most_task_tools &&
      name.size() <= most_tool_name)
    tasks.insert(std::move(name));
}

void known_tools::changed() {
  has_changed_ = true;
  if (is_ == phase::known)
    is_ = phase::unknown;
}

std::optional<rejection> known_tools::refuse(const message& tools_call, const request_envelope& envelope) const {
  return known_ ? known_->arguments.refuse(tools_call, envelope.arguments) : std::nullopt;
}

bool known_tools::needs_task(const message& tools_call) const {
  return known_ && !known_->tasks.empty() && known_->tasks.contains(name_param(tools_call));
}

} // namespace troupe::protocol
