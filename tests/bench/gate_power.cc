#include <fmt/core.h>
#include <cstdlib>
#include <chrono>
#include "tests/support/gate_trial.h"
#include "stats/gate_plan.h"
using namespace schedlab; using namespace schedlab::testing;
int main(int argc,char**argv){
  int trials = argc>1?std::atoi(argv[1]):200;
  auto t0=std::chrono::steady_clock::now();
  auto plan=stats::LookPlan::Default();
  fmt::print("plan {}s\n", std::chrono::duration<double>(std::chrono::steady_clock::now()-t0).count());
  for(double a:{.05,.0025,.00025}) {for(int i=0;i<4;i++) fmt::print("{:.4g} ",plan.LevelAt(i,a)); fmt::print("\n");}
  for(auto looks: std::vector<std::vector<std::int64_t>>{{10},{3,5,8,10},{3,5,8,12}}){
    auto p=*stats::LookPlan::Make(looks);
    stats::GateQuestion q{.effect=.04,.noise=.02,.metric_count=20,.history_degrees=20};
    auto g=stats::PlanGate(q,p);
    fmt::print("at once {} {:.4f}; exp {:.2f} null {:.2f};",g.runs_at_once,g.power_at_once,g.expected_runs,g.expected_runs_without_change);
    for(auto&l:g.looks) fmt::print(" [{} {:.2e} {:.4f}]",l.runs,l.level,l.power);
    fmt::print("\n");
    int found=0; double runs=0; int alarms=0;
    for(int s=1;s<=trials;++s){
      std::vector<double> ch(20,0); ch[0]=.04;
      auto t=RunGateTrial({.changes=ch},p,static_cast<std::uint64_t>(s));
      found+= t.result.cells[0].verdict==stats::Verdict::kWorse; runs+=static_cast<double>(t.runs[0]);
      alarms += CountVerdicts(t,stats::Verdict::kWorse)>(t.result.cells[0].verdict==stats::Verdict::kWorse);
    }
    fmt::print("found {:.4f} mean runs {:.3f} others {:.4f} {}s\n",static_cast<double>(found)/trials,runs/trials,static_cast<double>(alarms)/trials,std::chrono::duration<double>(std::chrono::steady_clock::now()-t0).count());
  }
  for(auto kind:kAllNoiseKinds){
    int a=0,b=0;
    for(int s=1;s<=trials;++s){
      auto t=RunGateTrial({.kind=kind,.changes=std::vector<double>(20,0)},plan,static_cast<std::uint64_t>(s));
      a+=CountVerdicts(t,stats::Verdict::kWorse)>0; b+=CountVerdicts(t,stats::Verdict::kBetter)>0;
    }
    fmt::print("{} null M=20 worse {:.4f} better {:.4f} {}s\n",ToString(kind),static_cast<double>(a)/trials,static_cast<double>(b)/trials,std::chrono::duration<double>(std::chrono::steady_clock::now()-t0).count());
  }
}
