#pragma once

#include "deploy/operator/admin_endpoint.hpp"
#include "deploy/operator/operator_command.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Admin token of an operator's command, and its origin.
struct operator_token {
  /// Token; empty when the command sends none.
  std::string text = {};
  /// File in which the gateway stored the token, when the user named no token.
  std::string found_in = {};
  /// Paths without such a file.
  std::vector<std::string> looked_for = {};
};

/// Reads the token from the file that the options name, or from `TROUPE_ADMIN_TOKEN`. Without either, searches for the
/// token file of a gateway on loopback, by address and port. Then `place` becomes that address, so that no other
/// gateway gets the token. Throws `operator_failure`.
operator_token token_for(const operator_options& options, admin_endpoint& place);

/// Returns the error text for a gateway's answer 401, with advice.
std::string refused_token_text(const std::string& at, const operator_token& shown);

/// Parameters of a query string; empty values are left out.
using operator_query = std::vector<std::pair<std::string, std::string>>;

/// JSON answer, as text and parsed.
struct operator_answer {
  std::string text;
  boost::json::value value;
};

/// HTTP client of a gateway's admin API. Blocks until it has the answer. All functions throw `operator_failure`.
class operator_client {
public:
  /// Reads the token, see `token_for`.
  explicit operator_client(const operator_options& options);

  /// Sends `METHOD path` and returns the answer of the node that the options name.
  operator_answer ask(const std::string& method, const std::string& path, const operator_query& query = {},
                      const std::string& body = {}) const;
  operator_answer get(const std::string& path, const operator_query& query = {}) const {
    return ask("GET", path, query);
  }
  /// Returns a text of the node that is connected to, such as its metrics.
  std::string get_text(const std::string& path) const { return send("GET", path, {}); }
  /// Passes on the bytes of a stream until it ends, or `piece` returns false.
  void follow(const std::string& path, const operator_query& query,
              const std::function<bool(std::string_view)>& piece) const;

private:
  std::string send(const std::string& method, const std::string& target, const std::string& body,
                   const std::function<bool(std::string_view)>& piece = nullptr) const;
  std::string target_of(const std::string& path, operator_query query) const;

  admin_endpoint place_;
  operator_token token_;
  std::string node_;
};

} // namespace troupe::deploy
