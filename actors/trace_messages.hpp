#pragma once

// A sheet of `messages.hpp`, which includes it: what is said to send spans to a collector.

#include "actors/messages.hpp"

namespace troupe::actors {

// -- whoever traces -> exporter ---------------------------------------------------------------

/// A span has ended, see `protocol::otlp_text`.
struct span_ended {
  std::string text;
};
/// No more spans come.
struct spans_over {};

// -- http client -> exporter ------------------------------------------------------------------

/// What the collector has answered.
struct collector_answered {
  int status = 0;
  std::string retry_after = {};
  std::string body = {};
  std::string why_not = {};
};

/// EXPORTER: sends spans to a collector.
using span_exporter_actor = caf::typed_actor<caf::reacts_to<span_ended>, caf::reacts_to<spans_over>,
                                             caf::reacts_to<collector_answered>, caf::reacts_to<tick>>;

} // namespace troupe::actors
