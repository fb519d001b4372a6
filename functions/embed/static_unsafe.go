package embed

import "unsafe"

// int8s shows the bytes of s as int8 without copying.
func int8s(s string) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(s))), len(s))
}
