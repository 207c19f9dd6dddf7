#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/task_script.h"

namespace schedlab::ingest {

struct RtAppFile {
  TaskScript script;
  // Keys that were accepted without effect, by their paths: "global.calibration".
  std::vector<std::string> ignored;
};

// Reads a file of rt-app (github.com/scheduler-tools/rt-app, version 1.0 and what its workgen
// accepts). docs/rt-app.md says what each key and event means. kInvalidArgument names the path of
// what is unknown, out of bounds, or could never work: "tasks.a.phases.p1.foo: is not known".
Result<RtAppFile> ParseRtApp(std::string_view text);

}  // namespace schedlab::ingest
