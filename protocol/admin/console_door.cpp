#include "protocol/admin/console_door.hpp"

#include "protocol/http/path.hpp"
#include "protocol/text/fnv1a.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace troupe::protocol {

namespace {

/// A browser keeps a file, and asks each time whether it is the same still: another program may have another.
constexpr std::string_view console_fields =
    "Cache-Control: no-cache\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff";

std::string entity_tag(std::string_view text) {
  std::array<char, 16> digits;
  auto* end = std::to_chars(digits.data(), digits.data() + digits.size(), fnv1a_64(text), 16).ptr;
  return '"' + std::string{digits.data(), end} + '"';
}

/// Whether the browser goes there itself, into a window of its own: nobody reads the answer but whoever looks at it.
bool is_navigation(const http_request& request) {
  return same_word(request.field("Sec-Fetch-Mode"), "navigate") &&
         same_word(request.field("Sec-Fetch-Dest"), "document");
}

http_response file_answer(const http_request& request, const console_file& file) {
  auto tag = entity_tag(file.text);
  const auto known = request.field("If-None-Match");
  if (known == "*" || known.find(tag) != std::string_view::npos)
    return {304, {{"ETag", std::move(tag)}}, {}, {}, console_fields};
  return {200, {{"ETag", std::move(tag)}}, std::string{file.text}, file.type, console_fields};
}

} // namespace

std::optional<http_response> enter_console(const http_request& request, const admin_rules& rules,
                                           std::span<const console_file> files) {
  const auto target = split_target(request.target).path_and_query;
  const auto file = std::ranges::find(files, target.substr(0, target.find('?')), &console_file::path);
  if (file == files.end())
    return std::nullopt;
  const auto reads = request.method == "GET" || request.method == "HEAD";
  if (auto refused = refuse_foreign(request, rules, reads && is_navigation(request)))
    return refused;
  if (reads)
    return file_answer(request, *file);
  return admin_error(method_not_allowed("GET, HEAD"));
}

} // namespace troupe::protocol
