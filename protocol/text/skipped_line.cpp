#include "protocol/text/skipped_line.hpp"

#include <algorithm>

namespace troupe::protocol {

/// The tail grows to twice of what is kept before it is cut, so that few pieces move it.
void skipped_line::add(std::string_view piece) {
  size += piece.size();
  head += piece.substr(0, kept - head.size());
  tail += piece.substr(piece.size() - std::min(kept, piece.size()));
  if (tail.size() > 2 * kept)
    end();
}

void skipped_line::end() {
  if (tail.size() > kept)
    tail.erase(0, tail.size() - kept);
}

} // namespace troupe::protocol
