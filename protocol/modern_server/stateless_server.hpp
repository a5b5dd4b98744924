#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/modern_server/change_listens.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/modern_server/face_effects.hpp"
#include "protocol/modern_server/input_rounds.hpp"
#include "protocol/modern_server/session_words.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// A server that is known to speak 2026-07-28, as its user of the session era sees it once `initialize` has come: the
/// result of `server/discover` answers that, each request says who the client is, and what the server wants of the
/// client becomes requests to it. Requests of 2026-07-28, which a user may send as well, and their answers pass as they
/// are, but for their ids. Our ids of requests are numbers that count up, whatever the user's are.
class stateless_server {
public:
  /// `name` is what the server is called when it does not say it; `mark`: see `input_rounds`; `bytes` is how many are
  /// kept of calls that may need input, and of their rounds.
  stateless_server(std::string name, std::string mark, std::size_t bytes)
      : name_{std::move(name)}, bytes_{bytes}, rounds_{std::move(mark), bytes_} {}
  // The parts refer to each other.
  stateless_server(const stateless_server&) = delete;
  stateless_server& operator=(const stateless_server&) = delete;

  /// The user's `initialize`, and the result of `server/discover`, an object.
  void begin(const message& initialize, std::string_view discovered, face_effects& out);
  /// `envelope` is what requests say of the client when that is not the one that has sent `initialize`.
  void user_sent(message&& from, time_point now, face_effects& out, envelope_of_user envelope = nullptr);
  /// `concerns`: see `server_as_legacy`.
  void server_sent(message&& from, time_point now, face_effects& out, std::string_view concerns = {});
  void tick(time_point now, face_effects& out);

  time_point deadline() const { return std::min(rounds_.deadline(), listens_.deadline()); }

private:
  void take_request(message&& from, envelope_of_user envelope, time_point now, face_effects& out);
  void take_notification(const message& from, time_point now, face_effects& out);
  void set_level(const message& request, bool is_for_all, face_effects& out);
  void pass(message&& request, face_effects& out);
  void begin_call(modern_call one, face_effects& out);
  void call(modern_call one, std::string_view retry, face_effects& out);
  void cancel(const message& cancelled, face_effects& out);
  void show_notification(message&& from, std::string_view concerns, face_effects& out) const;
  void take_answer(modern_call call, message&& answer, time_point now, face_effects& out);
  void complete(const modern_call& call, std::string_view result, face_effects& out);
  message error_for(const modern_call& call, std::string_view error) const;
  void show(message&& answer, const modern_call& to, face_effects& out) const;
  void end(round_end&& how, face_effects& out);
  const client_envelope& envelope_of(const modern_call& one) const { return one.envelope ? *one.envelope : envelope_; }

  std::string name_;
  client_envelope envelope_;
  bool offers_logs_ = false;
  output_schemas schemas_;
  /// For all that is kept of what the user and the server have written.
  byte_budget bytes_;
  request_table<modern_call> calls_;
  input_rounds rounds_;
  change_listens listens_{envelope_};
};

} // namespace troupe::protocol
