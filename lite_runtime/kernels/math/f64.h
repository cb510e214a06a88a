// Elementary functions in double precision, made of + - * / and sqrt only: the same bits on every
// machine, unlike libm. They serve float64 tensors, and float32 functions too rare to vectorise,
// which are computed here and rounded once.
//
// Errors are a few units in the last place of a double, except pow_f64 (docs/numerics.md).
#pragma once

namespace sampan::math {

double exp_f64(double x);
double expm1_f64(double x);
double log_f64(double x);  // log(0) = -inf, log(x < 0) = NaN
double log1p_f64(double x);
double sin_f64(double x);  // exact argument reduction over the whole range; NaN for infinities
double cos_f64(double x);
double tan_f64(double x);
double asin_f64(double x);
double acos_f64(double x);
double atan_f64(double x);
double sinh_f64(double x);
double cosh_f64(double x);
double tanh_f64(double x);
double asinh_f64(double x);
double acosh_f64(double x);
double atanh_f64(double x);
double erf_f64(double x);
double erfc_f64(double x);
double pow_f64(double x, double y);   // special cases as in C
double fmod_f64(double x, double y);  // exact; sign of x; NaN for y = 0 and infinite x

// float32 powers: exact cases (1, 2, 1/2, -1) by the one IEEE operation they are, the rest in
// double.
float pow_f32(float x, float y);
float fmod_f32(float x, float y);

}  // namespace sampan::math
