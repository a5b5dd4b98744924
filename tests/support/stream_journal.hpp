#pragma once

#include "protocol/delivery/streams.hpp"
#include "tests/support/protocol_effects.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;

/// Drives the streams of a session, and keeps a journal of the effects since the last read. Time passes only
/// explicitly.
struct stream_journal {
  explicit stream_journal(const stream_limits& limits = {})
      : all{limits, tag, std::make_unique<memory_store>(limits.stored_events, limits.stored_bytes)} {}

  stream_journal& primed() { return all.prime(true), *this; }
  stream_journal& calls(exchange_id exchange) { return all.open(exchange, streams::kind::call, now, out), *this; }
  stream_journal& listens(exchange_id exchange) { return all.open(exchange, streams::kind::listen, now, out), *this; }
  stream_journal& sends(exchange_id stream, std::string text, bool vital = true) {
    return all.send(stream, std::move(text), vital, out), *this;
  }
  stream_journal& finishes(exchange_id stream) { return all.finish(stream, now, out), *this; }
  stream_journal& leaves(exchange_id exchange) { return all.detach(exchange, now, out), *this; }
  streams::outcome resumes(exchange_id exchange, event_id last) {
    return all.resume(exchange, event_id_text(tag, last), now, out);
  }
  std::vector<exchange_id> after(std::chrono::nanoseconds time) { return all.tick(now += time, out); }
  effects seen() { return std::exchange(out, {}); }

  time_point now{1h};
  streams all;
  effects out;
};

} // namespace troupe::tests
