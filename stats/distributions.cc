#include "stats/distributions.h"

#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

#include "core/check.h"

namespace schedlab::stats {
namespace {

namespace bmp = boost::math::policies;

// Nothing here throws, and double is not promoted to long double, whose width differs between
// machines.
using Quiet =
    bmp::policy<bmp::domain_error<bmp::ignore_error>, bmp::pole_error<bmp::ignore_error>,
                bmp::overflow_error<bmp::ignore_error>, bmp::underflow_error<bmp::ignore_error>,
                bmp::evaluation_error<bmp::ignore_error>, bmp::promote_double<false>>;

using Normal = boost::math::normal_distribution<double, Quiet>;
using Student = boost::math::students_t_distribution<double, Quiet>;
using NonCentralStudent = boost::math::non_central_t_distribution<double, Quiet>;

}  // namespace

double NormalUpperTail(double z) {
  if (std::isinf(z)) return z > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(Normal(), z));
}

double NormalQuantile(double probability) {
  SCHEDLAB_CHECK(probability > 0 && probability < 1);
  return boost::math::quantile(Normal(), probability);
}

double StudentUpperTail(double t, double degrees_of_freedom) {
  SCHEDLAB_CHECK(degrees_of_freedom > 0);
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::complement(Student(degrees_of_freedom), t));
}

double StudentQuantile(double probability, double degrees_of_freedom) {
  SCHEDLAB_CHECK(probability > 0 && probability < 1 && degrees_of_freedom > 0);
  return boost::math::quantile(Student(degrees_of_freedom), probability);
}

double NonCentralStudentUpperTail(double t, double degrees_of_freedom, double non_centrality) {
  SCHEDLAB_CHECK(degrees_of_freedom > 0 && non_centrality >= 0);
  return boost::math::cdf(
      boost::math::complement(NonCentralStudent(degrees_of_freedom, non_centrality), t));
}

double Digamma(double x) {
  SCHEDLAB_CHECK(x > 0);
  return boost::math::digamma(x, Quiet());
}

double Trigamma(double x) {
  SCHEDLAB_CHECK(x > 0);
  return boost::math::trigamma(x, Quiet());
}

// Newton's on 1 / trigamma, which is convex and nearly linear, so that from this start it converges
// monotonically (Smyth 2004, appendix). At the ends the series of trigamma is exact to rounding.
double TrigammaInverse(double value) {
  SCHEDLAB_CHECK(value > 0 && std::isfinite(value));
  if (value > 1e7) return 1 / std::sqrt(value);
  if (value < 1e-8) return 1 / value;
  constexpr int kMostSteps = 50;
  double x = 0.5 + 1 / value;
  for (int step = 0; step < kMostSteps; ++step) {
    const double reached = Trigamma(x);
    const double slope = boost::math::polygamma(2, x, Quiet());
    const double move = reached * (1 - reached / value) / slope;
    x += move;
    if (std::abs(move) <= 1e-14 * x) break;
  }
  return x;
}

}  // namespace schedlab::stats
