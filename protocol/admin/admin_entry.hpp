#pragma once

#include "protocol/admin/admin_command.hpp"
#include "protocol/http/http.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// Rules for the requests at the operators' listener, besides the token.
struct admin_rules {
  /// Address of the listener: an IP address, a name, or `unix:` and the path of a socket.
  std::string host = "127.0.0.1";
};

/// Pages of the listener itself.
enum class admin_page { metrics, health };

/// Response to send at once, page to make, or request to read. A request at a path under `/api/`, or at
/// `/readyz`, is read by the node that it is for.
using admin_entry = std::variant<http_response, admin_page, operator_request>;

/// Decides on a request of an operator; an empty `token` requires none. Checks `Host`, origin, token, path and method,
/// in this order. `Host` has to be this machine, against DNS rebinding. A page of another origin is always refused,
/// since the browser would act for it with its user's rights.
admin_entry enter_admin(const http_request& request, const admin_rules& rules, std::string_view token);

/// Makes the checks that need no secret: refuses a request with a foreign `Host`, or from a page of another origin.
/// With `may_be_led` a page of another site may send a request without an `Origin`.
std::optional<http_response> refuse_foreign(const http_request& request, const admin_rules& rules,
                                            bool may_be_led = false);

/// Makes a response to an operator, which is neither cached nor taken for another type. `type` must outlive it.
http_response admin_response(int status, std::string_view type, std::string body);
/// Makes an error response: one line of JSON.
http_response admin_error(int status, std::string_view why);
/// Makes the error response for a rejection, with its header fields.
http_response admin_error(const rejection& why);

/// Content type of the metrics for Prometheus.
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

/// File of the operators' console. Its texts must outlive all responses.
struct console_file {
  std::string_view path;
  std::string_view type;
  std::string_view text;
};

/// Returns the answer to a request for one of the files; nothing when the path is of none. Files hold no secret and
/// require no token. `Host` and origin are checked as elsewhere, except that a link of another site may lead here. The
/// header fields restrict the page to these files and the operators' interface.
std::optional<http_response> enter_console(const http_request& request, const admin_rules& rules,
                                           std::span<const console_file> files);

} // namespace troupe::protocol
