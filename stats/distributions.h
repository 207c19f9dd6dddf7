#pragma once

namespace schedlab::stats {

// P(Z > z) of the standard normal.
double NormalUpperTail(double z);

// The z with P(Z <= z) = probability. Requires: probability in (0, 1).
double NormalQuantile(double probability);

// P(T > t) of Student's t; t may be infinite. Requires: degrees_of_freedom > 0.
double StudentUpperTail(double t, double degrees_of_freedom);

// The t with P(T <= t) = probability. Requires: probability in (0, 1), degrees_of_freedom > 0.
double StudentQuantile(double probability, double degrees_of_freedom);

// P(T > t) of the non-central t. Requires: degrees_of_freedom > 0, non_centrality >= 0.
double NonCentralStudentUpperTail(double t, double degrees_of_freedom, double non_centrality);

// The first two derivatives of ln Gamma. Requires: x > 0.
double Digamma(double x);
double Trigamma(double x);

// The x with Trigamma(x) = value. Requires: value > 0 and finite.
double TrigammaInverse(double value);

}  // namespace schedlab::stats
