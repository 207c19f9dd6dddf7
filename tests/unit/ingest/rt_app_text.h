#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ingest/rt_app.h"

namespace schedlab::testing {

// A file with one thread `a`, whose members are given.
inline std::string OneThread(std::string_view members) {
  return fmt::format("{{\"tasks\": {{\"a\": {{{}}}}}}}", members);
}

inline TaskScript ScriptOf(const std::string& text) {
  return ingest::ParseRtApp(text).value().script;
}

// Of a file with one thread and one phase.
inline std::vector<ScriptEvent> EventsOf(std::string_view members) {
  return ScriptOf(OneThread(members)).threads.at(0).phases.at(0).events;
}

// Why the file is refused; "" where it is not.
inline std::string RefusalOf(const std::string& text) {
  const Result<ingest::RtAppFile> file = ingest::ParseRtApp(text);
  return file ? "" : file.error().message;
}

inline std::string RefusalOfThread(std::string_view members) {
  return RefusalOf(OneThread(members));
}

}  // namespace schedlab::testing
