#pragma once

#include "protocol/access/token_verifier.hpp"

#include "protocol/text/base_encodings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

// A test driver for a verifier of tokens, with a journal of its effects.

namespace troupe::tests::token_verifier_driver {

using namespace protocol;
using namespace std::chrono_literals;

inline const calendar_time date{1'800'000'000s};
inline const std::string document = R"({"issuer":"https://as","jwks_uri":"https://as/keys"})";
inline const std::string with_introspection =
    R"({"issuer":"https://as","jwks_uri":"https://as/keys","introspection_endpoint":"https://as/ask"})";

inline std::string encoded(const std::string& text) {
  auto result = base64(text);
  std::ranges::replace(result, '+', '-');
  std::ranges::replace(result, '/', '_');
  result.erase(result.find_last_not_of('=') + 1);
  return result;
}

/// A token whose signature is valid if it ends with the key's id.
inline std::string token(const std::string& key, const std::string& signature, const std::string& subject = "ann",
                         const std::string& audience = "https://gw/mcp", const std::string& algorithm = "RS256") {
  auto id = key.empty() ? "" : R"(,"kid":")" + key + "\"";
  return encoded(R"({"alg":")" + algorithm + "\"" + id + "}") + "." +
         encoded(R"({"iss":"https://as","aud":")" + audience + R"(","sub":")" + subject + R"(","exp":1800000100})") +
         "." + encoded(signature + std::string(256 - signature.size(), ' '));
}

/// A digest that is sufficient for tests.
inline credential_digest digest_of(const std::string& text) {
  credential_digest result{};
  const auto hash = std::hash<std::string>{}(text);
  std::memcpy(result.data(), &hash, sizeof hash);
  return result;
}

inline std::string keys(const std::vector<std::string>& ids) {
  std::string all;
  for (auto& id : ids)
    all += (all.empty() ? "" : ",") + (R"({"kty":"RSA","kid":")" + id + "\"}");
  return R"({"keys":[)" + all + "]}";
}

class verifier {
public:
  explicit verifier(bool introspects = false) : one_{{{"https://as", {"https://gw"}}, introspects}} {
    hear(one_.begin(at()));
  }

  token_verifier::clocks at() const { return {now, date}; }
  void show(std::uint64_t ticket, const std::string& text, const std::string& from = {}) {
    hear(one_.shown(ticket, {text, digest_of(text), from}, at()));
  }
  void fetched(const std::string& text) { hear(one_.fetched(text, at())); }
  void not_fetched() { hear(one_.not_fetched("refused", at())); }
  void introspected(std::uint64_t question, const std::string& text) { hear(one_.introspected(question, text, at())); }
  void not_introspected(std::uint64_t question) { hear(one_.not_introspected(question, "500", at())); }
  void learn(const std::vector<std::string>& ids, const std::string& of = document) {
    fetched(of);
    fetched(keys(ids));
  }
  /// Adds a key whose valid signatures end with this text instead of its id.
  void learn_key(const std::string& id, const std::string& signature) {
    fetched(document);
    fetched(R"({"keys":[{"kty":"RSA","kid":")" + id + R"(","n":")" + signature + "\"}]}");
  }
  /// The effects since the last call, as `1 ann`, `2 bad: why`, `3 away`, or `get url`, `ask url body`.
  std::vector<std::string> outcomes() { return std::exchange(outcomes_, {}); }

  time_point now{};
  int checks = 0;

private:
  void hear(const verifier_effects& all) {
    for (auto& one : all)
      std::visit([this](auto& what) { note(what); }, one);
  }
  void note(const fetch_document& what) { outcomes_.push_back("get " + what.url); }
  void note(const introspect_token& what) {
    outcomes_.push_back("ask " + std::to_string(what.question) + " " + what.url + " " + what.body);
  }
  void note(const check_signature& what) {
    auto id = *from_base64url(what.token.substr(what.token.rfind('.') + 1));
    auto name = "\"" + id.substr(0, id.find(' ')) + "\"";
    checks += static_cast<int>(what.keys.size());
    hear(one_.signature_checked(
        what.question, std::ranges::any_of(what.keys, [&](auto& key) { return key.text.find(name) != key.text.npos; }),
        at()));
  }
  void note(const log_note& what) { outcomes_.push_back("log " + what.text); }
  void note(const report_verdict& what) {
    auto& verdict = what.verdict;
    auto text = verdict.is == token_verdict::kind::good          ? verdict.who->subject
                : verdict.is == token_verdict::kind::bad         ? "bad: " + verdict.why
                : verdict.is == token_verdict::kind::unavailable ? "away"
                                                                 : "again in " + std::to_string(verdict.pause.count());
    outcomes_.push_back(std::to_string(what.ticket) + " " + text);
  }

  token_verifier one_;
  std::vector<std::string> outcomes_;
};

using lines = std::vector<std::string>;

inline std::string address(std::uint64_t number) { return "address " + std::to_string(number); }

} // namespace troupe::tests::token_verifier_driver
