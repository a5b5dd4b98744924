#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <forward_list>
#include <iterator>

namespace troupe::deploy {

namespace {

/// Upper bound of a JSON line without the texts of its record: names, numbers, time, punctuation.
constexpr std::size_t frame_size = 640;

std::string cut(std::string_view value) {
  std::string result{value.substr(0, longest_access_value)};
  if (value.size() > longest_access_value)
    result += "...";
  return result;
}

// -- pieces of a line ----------------------------------------------------------------------

/// Writer into a buffer that the caller has made large enough.
class pen {
public:
  explicit pen(char* at) : at_{at} {}

  pen& put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  pen& put(std::uint64_t number) {
    constexpr auto most_digits = 20;
    at_ = std::to_chars(at_, at_ + most_digits, number).ptr;
    return *this;
  }
  /// Writes a time in milliseconds.
  pen& put(std::chrono::microseconds time) {
    const auto count = static_cast<std::uint64_t>(time.count());
    return put(count / 1000).put(".").put_thousandths(count % 1000);
  }
  /// Writes the last three digits of a number.
  pen& put_thousandths(std::uint64_t number) {
    for (std::uint64_t unit = 100; unit != 0; unit /= 10)
      *at_++ = static_cast<char>('0' + number / unit % 10);
    return *this;
  }
  char* end() const { return at_; }

private:
  char* at_;
};

/// Formats a time without its fraction. Keeps the last text, because most lines of a thread are of the same second.
const std::string& whole_seconds(std::chrono::sys_seconds at) {
  thread_local std::chrono::sys_seconds known{};
  thread_local std::string text;
  if (known == at && !text.empty())
    return text;
  const auto seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> formatted{};
  text.assign(formatted.data(), std::strftime(formatted.data(), formatted.size(), "%Y-%m-%dT%H:%M:%S", &parts));
  known = at;
  return text;
}

pen& put_time(pen& to, std::chrono::system_clock::time_point at) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(at);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(at - whole).count();
  return to.put(whole_seconds(whole)).put(".").put_thousandths(static_cast<std::uint64_t>(rest)).put("Z");
}

/// Name of a field, formatted at compile time as it precedes a string in a JSON object.
class field_name {
public:
  template <std::size_t Size>
  consteval field_name(const char (&name)[Size]) : size_{Size + 4} {
    auto end = std::ranges::copy(std::string_view{",\""}, in_json_.begin()).out;
    end = std::ranges::copy(std::string_view{name}, end).out;
    std::ranges::copy(std::string_view{"\":\""}, end);
  }

  std::string_view text() const { return {in_json_.data() + 2, size_ - 5}; }
  std::string_view before_string() const { return {in_json_.data(), size_}; }
  std::string_view before_number() const { return {in_json_.data(), size_ - 1}; }

private:
  std::array<char, 32> in_json_{};
  std::size_t size_;
};

/// Calls `text` or `number` for each field of a line, in order. `number` takes counts and times; empty texts are
/// skipped.
template <class Text, class Number>
void each_field(const access_record& of, Text text, Number number) {
  auto text_if_any = [&](const field_name& name, std::string_view value) {
    if (!value.empty())
      text(name, value);
  };
  text_if_any("request_id", of.request);
  text_if_any("client", of.client);
  text_if_any("principal", of.caller);
  text_if_any("principal.issuer", of.issuer);
  text_if_any("http.method", of.http_method);
  text_if_any("http.path", of.path);
  if (of.status != 0)
    number("http.status", static_cast<std::uint64_t>(of.status));
  text_if_any("mcp.session.id", of.session);
  text_if_any("mcp.method.name", of.method);
  text_if_any("gen_ai.tool.name", of.tool);
  text_if_any("server", of.server);
  text_if_any("error.type", of.error);
  number("duration_ms", of.total);
  if (of.in_server.count() != 0)
    number("server_duration_ms", of.in_server);
  number("bytes_in", of.bytes_in);
  number("bytes_out", of.bytes_out);
  text_if_any("trace_id", of.trace);
}

// -- JSON ------------------------------------------------------------------------------------

/// True for the bytes that need no escape in a JSON string.
constexpr auto plain_bytes = [] {
  std::array<bool, 256> result{};
  for (unsigned char c = ' '; c <= '~'; ++c)
    result[c] = c != '"' && c != '\\';
  return result;
}();

/// True if a JSON string can have `text` unchanged: plain text, also with the `…` of a shortened session id at its end.
bool is_plain_json(std::string_view text) {
  constexpr std::string_view cut_off = "…";
  if (text.ends_with(cut_off))
    text.remove_suffix(cut_off.size());
  return text.size() <= longest_access_value &&
         std::ranges::all_of(text, [](unsigned char c) { return plain_bytes[c]; });
}

/// Texts of a line, in order, escaped for JSON where necessary.
class json_texts {
public:
  explicit json_texts(const access_record& of) {
    each_field(
        of, [&](const field_name&, std::string_view value) { add(value); }, [](auto&&...) {});
  }
  std::string_view operator[](std::size_t place) const { return all_.at(place); }
  /// Size of all texts, in bytes.
  std::size_t size() const { return size_; }

private:
  void add(std::string_view value) {
    auto& one = all_.at(count_++);
    one = is_plain_json(value) ? value : escapes_.emplace_front(escaped(cut(value)));
    size_ += one.size();
  }

  std::array<std::string_view, 16> all_;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
  std::forward_list<std::string> escapes_;
};

char* write_json(char* to, const access_record& record, const json_texts& texts) {
  pen line{to};
  put_time(line.put(R"({"time":")"), record.at).put("\"");
  std::size_t place = 0;
  each_field(
      record,
      [&](const field_name& name, std::string_view) { line.put(name.before_string()).put(texts[place++]).put("\""); },
      [&](const field_name& name, auto value) { line.put(name.before_number()).put(value); });
  return line.put("}").end();
}

// -- packed records --------------------------------------------------------------------------

/// Texts of a record, in the order in which they are packed.
constexpr std::string_view access_record::*packed_texts[] = {
    &access_record::request,     &access_record::client, &access_record::caller,  &access_record::issuer,
    &access_record::http_method, &access_record::path,   &access_record::session, &access_record::method,
    &access_record::tool,        &access_record::server, &access_record::error,   &access_record::trace};

/// Fixed part of a packed record, before its texts: all other fields, and the sizes of the texts.
struct packed_head {
  std::chrono::system_clock::time_point at;
  std::chrono::microseconds total, in_server;
  std::uint64_t bytes_in, bytes_out;
  int status;
  std::array<std::uint16_t, std::size(packed_texts)> sizes;
};

/// Fails when `access_record` gets another field, which has to be packed, too.
static_assert(sizeof(access_record) == 6 * sizeof(std::uint64_t) + std::size(packed_texts) * sizeof(std::string_view));

/// Limit of a packed text, in bytes; clients choose some texts. The extra byte lets the formatter see a text too long.
constexpr std::size_t longest_packed = longest_access_value + 1;
static_assert(sizeof(packed_head) + std::size(packed_texts) * longest_packed <= largest_packed);

// -- escapes -----------------------------------------------------------------------------------

struct character {
  std::size_t size = 0; // 0 when the text starts with no well-formed UTF-8
  char32_t code = 0;
};

std::size_t size_by_lead(unsigned char lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead < 0xe0)
    return 2;
  if (lead >= 0xe0 && lead < 0xf0)
    return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool is_scalar(char32_t code, std::size_t size) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; // by size: anything lower is an overlong form
  return code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const auto size = size_by_lead(lead);
  if (size == 0 || size > text.size())
    return {};
  char32_t code = size == 1 ? lead : lead & (0xffu >> (size + 1));
  for (const unsigned char byte : text.substr(1, size - 1)) {
    if ((byte & 0xc0) != 0x80)
      return {};
    code = code << 6 | (byte & 0x3f);
  }
  return is_scalar(code, size) ? character{size, code} : character{};
}

/// True for control characters, code points that some readers take for a line break, and bidirectional controls.
bool is_unsafe(char32_t code) {
  return code < 0x20 || code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x7f && code < 0xa0) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string unicode_escape(char32_t code) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4)
    result += digits[code >> shift & 0xf];
  return result;
}

void append_escaped(std::string& result, std::string_view bytes, char32_t code) {
  if (code == '"' || code == '\\')
    (result += '\\') += bytes;
  else if (code == '\n')
    result += "\\n";
  else if (code == '\t')
    result += "\\t";
  else if (is_unsafe(code))
    result += unicode_escape(code);
  else
    result += bytes;
}

std::string in_quotes(std::string_view text) { return '"' + escaped(text) + '"'; }

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" =\"") != std::string_view::npos || escaped(value) != value;
}

} // namespace

std::string& append_time(std::string& to, std::chrono::system_clock::time_point at) {
  std::array<char, 32> text{};
  pen line{text.data()};
  return to.append(text.data(), put_time(line, at).end());
}

void append_access_json(std::string& to, const access_record& record) {
  const json_texts texts{record};
  const auto before = to.size();
  to.resize(before + frame_size + texts.size());
  to.resize(static_cast<std::size_t>(write_json(to.data() + before, record, texts) - to.data()));
}

void append_access_text(std::string& to, const access_record& record) {
  log_record line{.text = "access"};
  each_field(
      record,
      [&](const field_name& name, std::string_view value) { line.fields.emplace_back(name.text(), cut(value)); },
      [&](const field_name& name, auto value) {
        std::array<char, 32> digits{};
        line.fields.emplace_back(name.text(), std::string{digits.data(), pen{digits.data()}.put(value).end()});
      });
  append_time(to, record.at).append(" ").append(text_line(line));
}

char* pack(char* to, const access_record& record) {
  packed_head head{record.at, record.total, record.in_server, record.bytes_in, record.bytes_out, record.status, {}};
  char* end = to + sizeof head;
  for (std::size_t i = 0; i < std::size(packed_texts); ++i) {
    const auto text = (record.*packed_texts[i]).substr(0, longest_packed);
    head.sizes[i] = static_cast<std::uint16_t>(text.size());
    end = std::copy_n(text.data(), text.size(), end);
  }
  std::memcpy(to, &head, sizeof head);
  return end;
}

access_record unpacked(std::string_view packed) {
  packed_head head;
  std::memcpy(&head, packed.data(), sizeof head);
  packed.remove_prefix(sizeof head);
  access_record result{.at = head.at,
                       .status = head.status,
                       .total = head.total,
                       .in_server = head.in_server,
                       .bytes_in = head.bytes_in,
                       .bytes_out = head.bytes_out};
  for (std::size_t i = 0; i < std::size(packed_texts); ++i) {
    result.*packed_texts[i] = packed.substr(0, head.sizes[i]);
    packed.remove_prefix(head.sizes[i]);
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [size, code] = first_character(text);
    if (size == 0)
      result += "\\ufffd";
    else
      append_escaped(result, text.substr(0, size), code);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

std::string text_line(const log_record& record) {
  auto result = escaped(record.text);
  for (const auto& [key, value] : record.fields)
    result += ' ' + escaped(key) + '=' + (needs_quotes(value) ? in_quotes(value) : value);
  return result;
}

std::string json_members(const log_record& record) {
  auto result = "\"msg\":" + in_quotes(record.text);
  for (const auto& [key, value] : record.fields)
    result += ',' + in_quotes(key) + ':' + in_quotes(value);
  return result;
}

} // namespace troupe::deploy
