#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/modern_server/adapter_effects.hpp"
#include "protocol/modern_server/change_listens.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/modern_server/input_rounds.hpp"
#include "protocol/modern_server/legacy_conversion.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Presents a stateless (2026-07-28) server to a session-era user after `initialize`. The result of `server/discover`
/// answers `initialize`, each request describes the client, and input that the server needs becomes requests to the
/// client. A user's own stateless requests and their answers pass unchanged, except for ids. Our request ids are
/// increasing numbers, independent of the user's.
class stateless_server {
public:
  /// `name` is for a server that does not give its name; `mark`: see `input_rounds`. `bytes` limits the storage for
  /// calls that may need input, and for their rounds.
  stateless_server(std::string name, std::string mark, std::size_t bytes)
      : name_{std::move(name)}, bytes_{bytes}, rounds_{std::move(mark), bytes_} {}
  // Not copyable: the parts refer to each other.
  stateless_server(const stateless_server&) = delete;
  stateless_server& operator=(const stateless_server&) = delete;

  /// Answers the user's `initialize` from the result of `server/discover`, an object.
  void begin(const message& initialize, std::string_view discovered, adapter_effects& out);
  /// `envelope` describes the client, if it is not the one that sent `initialize`.
  void user_sent(message&& from, time_point now, adapter_effects& out, envelope_of_user envelope = nullptr);
  /// `concerns`: see `server_as_legacy`.
  void server_sent(message&& from, time_point now, adapter_effects& out, std::string_view concerns = {});
  void tick(time_point now, adapter_effects& out);

  time_point deadline() const { return std::min(rounds_.deadline(), listens_.deadline()); }

private:
  void receive_request(message&& from, envelope_of_user envelope, time_point now, adapter_effects& out);
  void receive_notification(message&& from, time_point now, adapter_effects& out);
  void set_level(const message& request, bool is_for_all, adapter_effects& out);
  void pass(message&& request, adapter_effects& out);
  void begin_call(modern_call one, adapter_effects& out);
  void call(modern_call one, std::string_view retry, adapter_effects& out);
  void cancel(message&& from, adapter_effects& out);
  void show_notification(message&& from, std::string_view concerns, adapter_effects& out) const;
  void receive_response(modern_call call, message&& answer, time_point now, adapter_effects& out);
  void complete(const modern_call& call, std::string_view result, adapter_effects& out);
  message error_for(const modern_call& call, std::string_view error) const;
  void show(message&& answer, const modern_call& to, adapter_effects& out) const;
  void end(round_end&& how, adapter_effects& out);
  const client_envelope& envelope_of(const modern_call& one) const { return one.envelope ? *one.envelope : envelope_; }

  std::string name_;
  client_envelope envelope_;
  bool offers_logs_ = false;
  output_schemas schemas_;
  /// Budget for all stored texts of the user and the server.
  byte_budget bytes_;
  request_table<modern_call> calls_;
  input_rounds rounds_;
  change_listens listens_{envelope_};
};

} // namespace troupe::protocol
