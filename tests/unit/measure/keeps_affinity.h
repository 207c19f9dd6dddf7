#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "measure/place.h"

namespace schedlab::measure {

// Measurements bind their thread; afterwards it may run where it might before.
class KeepsAffinity : public ::testing::Test {
 protected:
  const std::vector<std::int32_t>& cpus() const { return cpus_; }
  void TearDown() override { AllowThisThread(cpus_); }

 private:
  std::vector<std::int32_t> cpus_ = AllowedCpus();
};

}  // namespace schedlab::measure
