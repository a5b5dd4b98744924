#pragma once

#include "protocol/admin/operator_order.hpp"
#include "protocol/http/http.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// Who may ask at the listener of operators, besides who shows the token.
struct admin_rules {
  /// Where it listens: an address, a name, or `unix:` and the path of a socket.
  std::string host = "127.0.0.1";
};

/// What the listener has of its own.
enum class admin_page { metrics, health };

/// What is answered at once, or what is asked for. A request at a path under `/api/` is read by the node that it is
/// for.
using admin_entry = std::variant<http_response, admin_page, operator_request>;

/// Decides what a request of an operator gets. An empty `token` asks for none. In this order: `Host` has to be this
/// machine, against DNS rebinding; a page of any other origin is refused, whatever it asks for, as a browser would act
/// for it with the rights of whoever runs it; the token; the path; the method.
admin_entry enter_admin(const http_request& request, const admin_rules& rules, std::string_view token);

/// The part of that which asks for no secret: what is said to a request that calls this machine by a foreign name, or
/// that a page of another origin sent. With `may_be_led` such a page may send a request without an `Origin`.
std::optional<http_response> refuse_foreign(const http_request& request, const admin_rules& rules,
                                            bool may_be_led = false);

/// An answer to an operator: kept by nobody, and taken for nothing but what it says it is. `type` is a text that stays.
http_response admin_response(int status, std::string_view type, std::string body);
/// The same as an error: one line of JSON.
http_response admin_error(int status, std::string_view why);
/// The same of a rejection, with its header fields.
http_response admin_error(const rejection& why);

/// The type of the text that Prometheus reads.
inline constexpr std::string_view metrics_type = "text/plain; version=0.0.4; charset=utf-8";

/// A file of the operators' console. The texts stay.
struct console_file {
  std::string_view path;
  std::string_view type;
  std::string_view text;
};

/// The answer to a request for one of the files; nothing when it is for none of them. They hold no secret, so that it
/// takes no token, but `Host` and origin are asked for as elsewhere: only to come in by a link of another site is
/// allowed. What a browser is told about a file lets the page have nothing but these files and the operators'
/// interface.
std::optional<http_response> enter_console(const http_request& request, const admin_rules& rules,
                                           std::span<const console_file> files);

} // namespace troupe::protocol
