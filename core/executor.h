#pragma once

#include <string_view>

namespace schedlab {

// How a run is carried out. Results of different executors are never compared.
enum class Executor { kSim };

// "sim".
constexpr std::string_view ToString(Executor executor) {
  switch (executor) {
    case Executor::kSim:
      return "sim";
  }
  return "";
}

}  // namespace schedlab
