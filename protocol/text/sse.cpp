#include "protocol/text/sse.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace troupe::protocol {

namespace {

/// Finds the CRs and LFs of a text from left to right; searches each byte once for either.
class line_breaks {
public:
  explicit line_breaks(std::string_view text) : text_(text), lf_(text.find('\n')), cr_(text.find('\r')) {}

  /// Returns the first break at or after `from`, npos if there is none; `from` never decreases.
  std::size_t next(std::size_t from) {
    if (lf_ < from)
      lf_ = text_.find('\n', from);
    if (cr_ < from)
      cr_ = text_.find('\r', from);
    return std::min(lf_, cr_);
  }

private:
  std::string_view text_;
  std::size_t lf_;
  std::size_t cr_;
};

void append_line(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += value.empty() ? ":" : ": ";
  out += value;
  out += '\n';
}

/// Appends one line for each line of `value`; an empty name makes comments.
void append_lines(std::string& out, std::string_view name, std::string_view value) {
  line_breaks breaks{value};
  std::size_t from = 0;
  auto end = breaks.next(from);
  for (; end != value.npos; end = breaks.next(from)) {
    append_line(out, name, value.substr(from, end - from));
    from = end + (value.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  append_line(out, name, value.substr(from));
}

std::optional<std::chrono::milliseconds> parse_retry(std::string_view digits) {
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
    return std::nullopt;
  std::chrono::milliseconds::rep value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} ? std::min(std::chrono::milliseconds{value}, longest_retry) : longest_retry;
}

} // namespace

// -- encoding ---------------------------------------------------------------

std::string encode(const event& e) {
  std::string result;
  encode_to(result, e);
  return result;
}

void encode_to(std::string& out, const event& e) {
  assert(e.type.find_first_of("\r\n") == std::string::npos);
  assert(!e.id || e.id->find_first_of(std::string_view{"\r\n\0", 3}) == std::string::npos);
  assert(!e.retry || e.retry->count() >= 0);
  out.reserve(out.size() + 64 + e.type.size() + (e.id ? e.id->size() : 0) + e.data.size());
  if (!e.type.empty())
    append_line(out, "event", e.type);
  if (e.id)
    append_line(out, "id", *e.id);
  if (e.retry)
    append_line(out, "retry", std::to_string(e.retry->count()));
  append_lines(out, "data", e.data);
  out += '\n';
}

std::string comment(std::string_view text) {
  std::string result;
  append_lines(result, "", text);
  result += '\n';
  return result;
}

// -- decoding ---------------------------------------------------------------

std::vector<event> sse_decoder::feed(std::string_view bytes) {
  std::vector<event> events;
  line_breaks breaks{bytes};
  for (std::size_t from = 0; from < bytes.size() && !overflowed_;) {
    if (std::exchange(after_cr_, false) && bytes[from] == '\n') {
      ++from;
      continue;
    }
    auto end = breaks.next(from);
    auto piece = bytes.substr(from, end - from);
    from = end == bytes.npos ? bytes.size() : end + 1;
    auto ended = end != bytes.npos;
    after_cr_ = ended && bytes[end] == '\r';
    if (skipping_) {
      skip(piece, ended);
    } else if (piece.size() > event_limit_ - event_size_ - rest_.size()) {
      if (skips_)
        begin_skip(piece, ended);
      else
        overflow();
    } else if (!ended) {
      rest_ += piece;
    } else if (rest_.empty()) {
      process_line(piece, events);
    } else {
      process_line(std::exchange(rest_, {}).append(piece), events);
    }
  }
  return events;
}

void sse_decoder::overflow() {
  overflowed_ = true;
  rest_ = {};
  event_ = {};
}

/// Begins to skip an event. Usually the event has one field, part of whose value was read.
void sse_decoder::begin_skip(std::string_view piece, bool ended) {
  constexpr std::string_view field = "data:";
  auto line = std::exchange(rest_, {}).append(piece);
  skipping_.emplace().add(std::exchange(event_, {}).data);
  is_empty_line_ = false;
  skip(std::string_view{line}.substr(line.starts_with(field) ? field.size() : 0), ended);
}

void sse_decoder::skip(std::string_view piece, bool ended) {
  is_empty_line_ = is_empty_line_ && piece.empty();
  skipping_->add(piece);
  if (!ended || !std::exchange(is_empty_line_, true))
    return;
  skipping_->end();
  skipped_.push_back(*std::exchange(skipping_, std::nullopt));
  event_size_ = 0;
}

void sse_decoder::process_line(std::string_view line, std::vector<event>& events) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (std::exchange(first_line_, false) && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  if (line.empty())
    return dispatch(events);
  auto colon = line.find(':');
  auto value = colon == line.npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  if (store_field(line.substr(0, colon), value))
    event_size_ += line.size();
}

/// Stores a field; false if its name is unknown. A comment's name is empty.
bool sse_decoder::store_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    event_.data.append(value) += '\n';
  } else if (name == "event") {
    event_.type = value;
  } else if (name == "id") {
    if (value.find('\0') == value.npos)
      event_.id = std::string{value};
  } else if (name == "retry") {
    if (auto retry = parse_retry(value))
      retry_ = event_.retry = retry;
  } else {
    return false;
  }
  return true;
}

void sse_decoder::dispatch(std::vector<event>& events) {
  auto complete = std::exchange(event_, {});
  event_size_ = 0;
  if (complete.id)
    last_event_id_ = *complete.id;
  if (complete.data.size() < 2) // nothing, or the LF of one empty data line
    return;
  complete.data.pop_back();
  if (complete.type.empty())
    complete.type = "message";
  events.push_back(std::move(complete));
}

} // namespace troupe::protocol
