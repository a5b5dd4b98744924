#pragma once

#include "protocol/access/named_things.hpp"
#include "protocol/access/permissions.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// What a thing may be read as: a resource as `readings_of_uri` has it, which says what `effort` is, and any other by
/// the part of its name, too, that is left for servers for which a null character ends a text. Nothing when that cannot
/// be told, as of a file on a host that no rule names.
std::optional<std::vector<std::string>> readings_of(const permissions& rules, const named_thing& one,
                                                    std::size_t* effort = nullptr);

/// Judges the things that one message names, by whatever they may be read as. One of which that cannot be told is
/// hidden from all as soon as there is a rule for things of its kind.
///
/// A URI of some bytes may have readings of many kilobytes, and each is judged by all rules. So there is a limit to
/// what is judged for a message, in about the bytes of all readings; the things beyond it are hidden.
class thing_judge {
public:
  explicit thing_judge(std::size_t most = most_of_request) : left_{most} {}

  /// What somebody may do with a thing of the server that has these rules.
  permit judge(const permissions& rules, const named_thing& one, const principal& who);
  /// Things were hidden only because it takes too long to judge all.
  bool is_exhausted() const { return exhausted_; }

  /// For all that one POST names: some 0.2 s, since each of its messages is judged once more when it is sent on.
  static constexpr std::size_t most_of_request = std::size_t{8} << 20;
  /// For what one answer lists: some 0.5 s.
  static constexpr std::size_t most_of_list = std::size_t{32} << 20;

private:
  bool spend(std::size_t cost);

  std::size_t left_;
  bool exhausted_ = false;
};

/// How much is judged of what others say, see `thing_judge`.
struct judging_budgets {
  std::size_t of_request = thing_judge::most_of_request;
  std::size_t of_list = thing_judge::most_of_list;
};

} // namespace troupe::protocol
