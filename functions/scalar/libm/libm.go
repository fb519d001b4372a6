// Package libm calls the C library's mathematical functions: their last digits are the ones that PostgreSQL shows, which
// Go's own implementations do not always give.
package libm

// #cgo LDFLAGS: -lm
// #include <math.h>
import "C"

// The functions of math.h by their names.

func Exp(x float64) float64      { return float64(C.exp(C.double(x))) }
func Log(x float64) float64      { return float64(C.log(C.double(x))) }
func Log10(x float64) float64    { return float64(C.log10(C.double(x))) }
func Pow(x, y float64) float64   { return float64(C.pow(C.double(x), C.double(y))) }
func Cbrt(x float64) float64     { return float64(C.cbrt(C.double(x))) }
func Sin(x float64) float64      { return float64(C.sin(C.double(x))) }
func Cos(x float64) float64      { return float64(C.cos(C.double(x))) }
func Tan(x float64) float64      { return float64(C.tan(C.double(x))) }
func Asin(x float64) float64     { return float64(C.asin(C.double(x))) }
func Acos(x float64) float64     { return float64(C.acos(C.double(x))) }
func Atan(x float64) float64     { return float64(C.atan(C.double(x))) }
func Atan2(y, x float64) float64 { return float64(C.atan2(C.double(y), C.double(x))) }
func Sinh(x float64) float64     { return float64(C.sinh(C.double(x))) }
func Cosh(x float64) float64     { return float64(C.cosh(C.double(x))) }
func Tanh(x float64) float64     { return float64(C.tanh(C.double(x))) }
func Asinh(x float64) float64    { return float64(C.asinh(C.double(x))) }
func Acosh(x float64) float64    { return float64(C.acosh(C.double(x))) }
func Atanh(x float64) float64    { return float64(C.atanh(C.double(x))) }
