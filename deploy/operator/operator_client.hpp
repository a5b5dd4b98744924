#pragma once

#include "deploy/operator/admin_place.hpp"
#include "deploy/operator/operator_command.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// The token that an operator's command shows, and how it came by it.
struct operator_token {
  /// Empty when none is shown.
  std::string text = {};
  /// The gateway's own file, when nobody has named another.
  std::string found_in = {};
  /// Where there was no such file.
  std::vector<std::string> looked_for = {};
};

/// Reads the token that the options name, or the variable `TROUPE_ADMIN_TOKEN`. Without either, a gateway on loopback
/// may have made one: it is searched for by address and port, and `place` becomes that address, so that nobody else is
/// shown it. Throws `operator_failure`.
operator_token token_for(const operator_options& options, admin_place& place);

/// What an operator is told whom the gateway at that place has not let in, and what to do.
std::string refused_token_text(const std::string& at, const operator_token& shown);

/// What stands behind `?`; values that are empty are left out.
using operator_query = std::vector<std::pair<std::string, std::string>>;

/// A JSON text, and what it says.
struct operator_answer {
  std::string text;
  boost::json::value value;
};

/// Asks a gateway, and waits for its answers. All functions throw `operator_failure`.
class operator_client {
public:
  /// Reads the token.
  explicit operator_client(const operator_options& options);

  /// The answer to `METHOD path`, of the node that the options name.
  operator_answer ask(const std::string& method, const std::string& path, const operator_query& query = {},
                      const std::string& body = {}) const;
  operator_answer get(const std::string& path, const operator_query& query = {}) const {
    return ask("GET", path, query);
  }
  /// A text of the node that is asked, such as its metrics.
  std::string get_text(const std::string& path) const;
  /// Hands out the bytes of a stream until it ends, or `piece` returns false.
  void follow(const std::string& path, const operator_query& query,
              const std::function<bool(std::string_view)>& piece) const;

private:
  std::string send(const std::string& method, const std::string& target, const std::string& body,
                   const std::function<bool(std::string_view)>& piece = nullptr) const;
  std::string target_of(const std::string& path, operator_query query) const;

  admin_place place_;
  operator_token token_;
  std::string node_;
};

} // namespace troupe::deploy
