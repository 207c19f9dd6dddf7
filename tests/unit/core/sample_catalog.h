#pragma once

#include <string>
#include <vector>

#include "core/catalog.h"

namespace schedlab::testing {

// A small catalog with one of each kind, as files.
inline std::vector<CatalogFile> SampleCatalogFiles() {
  return {
      {"topologies/duo.toml",
       "name = \"duo\"\ndescription = \"two CPUs\"\nshape = \"package:2\"\n"
       "node_distances = [[10]]\n[costs]\nwakeup_ns = 500\n"},
      {"topologies/quad.toml",
       "name = \"quad\"\ndescription = \"four CPUs\"\nshape = \"numa:2 core:2\"\n"
       "node_distances = [[10, 21], [21, 10]]\n"},
      {"metrics.toml",
       "[[metric]]\nname = \"ops_per_sec\"\nunit = \"ops/s\"\ndirection = \"higher_is_better\"\n"
       "role = \"headline\"\nmeaning = \"work done\"\nminimum_effect = 0.03\n"
       "[[metric]]\nname = \"switches\"\nunit = \"count\"\ndirection = \"lower_is_better\"\n"
       "role = \"counter\"\nmeaning = \"switches\"\n"},
      {"workloads/spin.toml",
       "name = \"spin\"\ndescription = \"spins\"\nduration_ns = 1000\n"
       "headline = [\"ops_per_sec\"]\n[[parameter]]\nname = \"tasks_count\"\ndefault = 4\n"
       "minimum = 1\nmaximum = 64\nmeaning = \"how many\"\n"},
      {"workloads/script.toml",
       "name = \"script\"\ndescription = \"does what a file says\"\nduration_ns = 1000\n"
       "document_format = \"rt-app\"\nheadline = [\"ops_per_sec\"]\n"},
      {"policies/fair.toml",
       "name = \"fair\"\nproject = \"linux\"\ndescription = \"a policy\"\n"
       "[[switch]]\nname = \"election\"\nvalues = [\"correct\", \"inverted\"]\n"
       "default = \"correct\"\nmeaning = \"who balances\"\n"
       "[[switch]]\nname = \"kick\"\nvalues = [\"on\", \"off\"]\ndefault = \"on\"\n"
       "meaning = \"whether idle CPUs are kicked\"\n"
       "[[revision]]\nid = \"1111111aaaa\"\naliases = [\"v1\"]\nordinal = 0\ndate = "
       "\"2013-01-01\"\n"
       "subject = \"first\"\n"
       "[[revision]]\nid = \"2222222bbbb\"\nordinal = 1\ndate = \"2013-01-02\"\n"
       "subject = \"second\"\nchanges = {election = \"inverted\"}\n"
       "[[revision]]\nid = \"2222222cccc\"\naliases = [\"v2\"]\nordinal = 2\n"
       "date = \"2013-01-03\"\nsubject = \"third\"\nchanges = {election = \"correct\"}\n"},
      {"policies/ideal.toml",
       "name = \"ideal\"\nproject = \"reference\"\ndescription = \"what is to be had\"\n"},
      {"policies/fair-early.toml",
       "name = \"fair-early\"\nimplementation = \"fair\"\nproject = \"linux\"\n"
       "description = \"what came before\"\n"
       "[[revision]]\nid = \"0000000aaaa\"\naliases = [\"v0\"]\nordinal = 0\ndate = "
       "\"2012-01-01\"\nsubject = \"zeroth\"\nchanges = {kick = \"off\"}\n"},
  };
}

inline Catalog SampleCatalog() { return ParseCatalog(SampleCatalogFiles()).value(); }

}  // namespace schedlab::testing
