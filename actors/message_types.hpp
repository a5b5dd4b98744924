#pragma once

// CAF's template instances for each message type: what the message headers say of the lists at their end.
//
// To send a message, CAF instantiates some forty functions for its type: to store it, copy it, compare it with the type
// of a handler, write it and read it. For each list, one file has these functions, such as
// `cluster_message_types.cpp`. `extern template` keeps all other files from compiling them again, which took most of
// the compile time.

#include <caf/all.hpp>
#include <type_traits>

// NOLINTBEGIN(bugprone-macro-parentheses): a type is no expression.

/// Function that makes a mailbox element from a moved message; `how` is `extern template` or, in one file, `template`.
/// All other functions that CAF needs for the type are used by this one only. The few files that send a copy
/// instantiate the function for copies themselves.
#define TROUPE_MAILBOX_ELEMENT(how, type)                                                                              \
  how mailbox_element_ptr make_mailbox_element<type>(strong_actor_ptr, message_id, mailbox_element::forwarding_stack,  \
                                                     type &&);
#define TROUPE_IS_ELSEWHERE(type) TROUPE_MAILBOX_ELEMENT(extern template, troupe::actors::type)
#define TROUPE_IS_HERE(type) TROUPE_MAILBOX_ELEMENT(template, troupe::actors::type)

/// Says of a message that it stays in its process: CAF refuses to write it, and has no name to read it by.
#define TROUPE_STAYS_HERE(type)                                                                                        \
  template <>                                                                                                          \
  struct allowed_unsafe_message_type<troupe::actors::type> : std::true_type {};                                        \
  TROUPE_IS_ELSEWHERE(type)

/// Says of a message that it travels between nodes.
#define TROUPE_CAN_TRAVEL(type)                                                                                        \
  caf::error inspect(caf::serializer& to, type& what);                                                                 \
  caf::error inspect(caf::deserializer& from, type& what);

// NOLINTEND(bugprone-macro-parentheses)

namespace caf {

/// Exit message of CAF.
TROUPE_MAILBOX_ELEMENT(extern template, exit_msg)

} // namespace caf
