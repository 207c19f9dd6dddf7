#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/topology.h"
#include "measure/measurements.h"

namespace schedlab::measure {

// Where one entry of a cost table comes from.
struct CostSource {
  std::string_view name;  // as in kCostFields
  std::string formula;    // over the names of MeasurementFields(); empty = kept from the base
  bool is_measured = false;
};

struct DerivedCosts {
  CostTable costs;
  std::vector<CostSource> sources;  // in the order of kCostFields
};

// The cost table that `measured` amounts to, from the medians; a difference is at least 0. What was
// not measured is as in `base`.
DerivedCosts DeriveCosts(const Measurements& measured, const CostTable& base);

}  // namespace schedlab::measure
