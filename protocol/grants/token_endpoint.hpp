#pragma once

#include "protocol/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Where an issuer grants tokens, as its metadata says (RFC 8414): found when it is first needed, looked for again
/// after a while, and kept while the issuer is away. Facts in; what is to be fetched out.
class token_endpoint {
public:
  /// How long it is believed, and how long the metadata is left alone when they could not be used.
  static constexpr std::chrono::minutes lifetime{60};
  static constexpr std::chrono::seconds pause{5};

  /// One that is configured is never looked for.
  token_endpoint(std::string issuer, std::string configured)
      : issuer_{std::move(issuer)}, url_{std::move(configured)}, is_fixed_{!url_.empty()} {}

  /// Empty when it is not known.
  const std::string& url() const { return url_; }
  bool is_awaited() const { return !places_.empty(); }
  /// Why it is not known.
  const std::string& why_not() const { return why_not_; }

  /// Somebody needs it: the document to fetch, if it is time for that; answered with `fetched` or `failed`.
  std::optional<std::string> needed(time_point now);
  /// The next document to fetch, when this one does not say where it is.
  std::optional<std::string> fetched(std::string_view text, time_point now);
  std::optional<std::string> failed(const std::string& why, time_point now);

private:
  std::string issuer_;
  std::string url_;
  bool is_fixed_;
  std::string why_not_;
  /// What is being fetched, and what is to be fetched when that is in vain.
  std::vector<std::string> places_;
  time_point look_at_ = time_point::min();
};

} // namespace troupe::protocol
