#include "protocol/remote/bearer_challenge.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

bool is_challenge_space(char c) { return c == ' ' || c == '\t'; }

/// Reader of `WWW-Authenticate` from left to right.
class challenge_reader {
public:
  explicit challenge_reader(std::string_view text) : rest_{text} {}

  bool at_end() {
    skip([](char c) { return is_challenge_space(c) || c == ','; });
    return rest_.empty();
  }
  /// Reads up to the next separator, which no token contains.
  std::string_view word() {
    return read_while([](char c) { return !is_challenge_space(c) && c != ',' && c != '=' && c != '"'; });
  }
  bool finds_equals() {
    skip(is_challenge_space);
    if (!rest_.starts_with('='))
      return false;
    rest_.remove_prefix(1);
    skip(is_challenge_space);
    return true;
  }
  std::string value() { return rest_.starts_with('"') ? quoted_value() : std::string{word()}; }
  /// Skips an unreadable character.
  void skip_one() { rest_.remove_prefix(std::min<std::size_t>(rest_.size(), 1)); }

private:
  template <class Is>
  std::string_view read_while(Is is) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is);
    const auto result = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(result.size());
    return result;
  }
  template <class Is>
  void skip(Is is) {
    read_while(is);
  }
  std::string quoted_value() {
    std::string result;
    for (rest_.remove_prefix(1); !rest_.empty() && rest_.front() != '"'; rest_.remove_prefix(1)) {
      if (rest_.front() == '\\' && rest_.size() > 1)
        rest_.remove_prefix(1);
      result += rest_.front();
    }
    skip_one();
    return result;
  }

  std::string_view rest_;
};

void set_member(bearer_challenge& of, std::string_view name, std::string value) {
  if (same_word(name, "resource_metadata"))
    of.metadata_url = std::move(value);
  else if (same_word(name, "scope"))
    for (auto scope : words_in(value, " "))
      of.scopes.emplace_back(scope);
  else if (same_word(name, "error"))
    of.error = std::move(value);
}

} // namespace

/// A word without `=` after it is the name of a scheme.
std::optional<bearer_challenge> read_bearer_challenge(std::string_view value) {
  std::optional<bearer_challenge> result;
  auto is_bearer = false;
  for (challenge_reader reader{value}; !reader.at_end();) {
    const auto word = reader.word();
    if (word.empty()) {
      reader.skip_one();
    } else if (!reader.finds_equals()) {
      if (result)
        return result;
      is_bearer = same_word(word, "Bearer");
      if (is_bearer)
        result.emplace();
    } else if (auto said = reader.value(); is_bearer) {
      set_member(*result, word, std::move(said));
    }
  }
  return result;
}

bearer_challenge challenge_of(const http_fields& fields) {
  for (auto& [name, value] : fields)
    if (auto read = same_word(name, "WWW-Authenticate") ? read_bearer_challenge(value) : std::nullopt)
      return std::move(*read);
  return {};
}

bool is_token_refused(int status, const bearer_challenge& told) {
  return status == 401 || (status == 403 && told.error == "invalid_token");
}

} // namespace troupe::protocol
