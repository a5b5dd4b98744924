// Any credentials of a client, with any answers of an issuer, either identify a caller or are refused in one line.

#include "protocol/access/credentials.hpp"
#include "protocol/access/issuer.hpp"
#include "protocol/access/issuer_keys.hpp"
#include "protocol/access/token_claims.hpp"
#include "protocol/grants/token_grant.hpp"
#include "protocol/http/original_request.hpp"
#include "protocol/text/url.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::protocol;
using troupe::fuzz::input;
using troupe::fuzz::require;

namespace {

constexpr auto issuer = "https://as.example.com";
const token_rules rules{issuer, {{}, {"https://gw.example.com"}}, "groups"};
const calendar_time now{std::chrono::seconds{1'800'000'000}};

void require_line(const std::string& why) {
  require(!why.empty() && why.find_first_of("\r\n") == why.npos, "what is refused is refused in one line");
}

void judge(const std::variant<principal, std::string>& found) {
  if (auto* why = std::get_if<std::string>(&found))
    return require_line(*why);
  auto& who = std::get<principal>(found);
  require(who.issuer == issuer, "who has a token comes from its issuer");
  require(!who.expires || *who.expires + leeway > now, "who comes in is not expired");
  require(identity_of(who).size() >= who.subject.size(), "an identity has the subject");
}

void read_as_token(std::string_view text) {
  if (auto token = read_token(text))
    judge(check_claims(*token, rules, now));
}

void read_as_keys(std::string_view text) {
  const key_set keys{text};
  require(keys.size() <= key_set::most, "no more keys are kept than may be");
  for (auto algorithm : {"RS256", "ES512", "HS256", "none"})
    require(is_accepted_algorithm(algorithm) || keys.find(algorithm, "").empty(), "no key is for what is not accepted");
}

void read_as_metadata(std::string_view text) {
  auto read = read_issuer_metadata(text, issuer);
  if (auto* why = std::get_if<std::string>(&read))
    return require_line(*why);
  auto& found = std::get<issuer_metadata>(read);
  std::string why_not;
  for (auto* url : {&found.keys_url, &found.introspection_url, &found.token_url})
    require(url->empty() || parse_http_url(*url, why_not)->is_secure, "what an issuer names is asked in TLS");
}

void read_as_grant(std::string_view text) {
  auto read = read_grant_answer(200, text);
  if (auto* why = std::get_if<std::string>(&read))
    return require_line(*why);
  auto& token = std::get<granted_token>(read).text;
  require(token.size() <= longest_granted_token, "a token is not too long");
  require(token.find_first_of("\r\n \t") == token.npos, "a token can stand in a header");
}

/// Forwarded header fields, together with credentials.
void read_as_fields(std::string_view text) {
  const ip_networks trusted{{"10.0.0.0/8"}};
  http_request request{.method = "POST", .target = "/mcp", .fields = {}, .body = {}, .peer = "10.0.0.1"};
  auto parted = text.find('\n');
  auto more = parted == text.npos ? std::string_view{} : text.substr(parted + 1);
  request.fields = {{"Forwarded", text.substr(0, parted)}, {"X-Forwarded-For", more}, {"Authorization", more}};
  require(original_of(request, trusted).client.has_value(), "it came from somewhere");
  if (auto found = read_credentials(request); auto* shown = std::get_if<bearer>(&found))
    require(!shown->secret.empty(), "who shows something shows more than nothing");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input all{bytes, size};
  switch (all.number() % 7) {
  case 0:
    read_as_token(all.rest());
    break;
  case 1:
    judge(check_claims({.payload = std::string{all.rest()}}, rules, now));
    break;
  case 2:
    judge(check_introspection(all.rest(), rules, now));
    break;
  case 3:
    read_as_keys(all.rest());
    break;
  case 4:
    read_as_metadata(all.rest());
    break;
  case 5:
    read_as_grant(all.rest());
    break;
  default:
    read_as_fields(all.rest());
  }
  return 0;
}
