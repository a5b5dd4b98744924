#pragma once

#include "protocol/modern_client/face_calls.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::protocol {

/// The tools, prompts and resources whose calls have led to one question at a time so far. Their client need not wait
/// for others. A guess: when it was wrong, the other questions are asked in the next round, and waited for again later.
class lone_questions {
public:
  bool are_of(const face_call& call) const;
  /// A client was asked as many questions together as came within the time that they are collected in.
  void asked_together(const face_call& call, std::size_t count);
  /// Another came when the client had been asked already.
  void came_late(const face_call& call);

  static constexpr std::size_t most = 64;
  static constexpr std::size_t longest_name = 256;

private:
  /// By method and name.
  std::vector<std::string> all_;
};

} // namespace troupe::protocol
