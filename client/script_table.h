#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/script_thread_report.h"

namespace schedlab::client {

// What the threads of a script did, a row for each kind of them; empty where there are none.
std::string ScriptTable(const std::vector<sim::ScriptThreadReport>& threads);

// The same for programs; what a kind has none of is left out.
nlohmann::ordered_json ScriptJson(const std::vector<sim::ScriptThreadReport>& threads);

}  // namespace schedlab::client
