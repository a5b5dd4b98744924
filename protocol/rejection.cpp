#include "protocol/rejection.hpp"

namespace troupe::protocol {

rejection refusal(int status, std::string text) { return {status, error_code::invalid_request, std::move(text)}; }

rejection method_not_allowed(std::string_view methods) {
  return {405, error_code::invalid_request, "Method Not Allowed", {}, {{"Allow", std::string{methods}}}};
}

rejection state_refused(std::string id) {
  return {200, error_code::invalid_params, "requestState is invalid or expired", std::move(id)};
}

rejection session_not_found() {
  return {404, error_code::invalid_request, "Session not found: it ended, or never was; start again with initialize"};
}

rejection session_moves() { return unavailable("the session moves to another node"); }

rejection unavailable(std::string why, std::string id, std::chrono::seconds retry) {
  return {503,
          error_code::internal_error,
          "Service Unavailable: " + std::move(why),
          std::move(id),
          {{"Retry-After", std::to_string(retry.count())}}};
}

rejection too_many_requests(std::string why, std::chrono::seconds retry, std::string id) {
  return {429,
          error_code::internal_error,
          "Too Many Requests: " + std::move(why),
          std::move(id),
          {{"Retry-After", std::to_string(retry.count())}}};
}

rejection server_not_found() { return {404, error_code::invalid_request, "Not Found: no server has this name"}; }

} // namespace troupe::protocol
