#include "textflag.h"

// The lanes stand in Y0 (0–7) and Y1 (8–15); a multiplication is followed by an addition, never fused.

// func dotAVX(a, b *float32, n int, s *[16]float32)
TEXT ·dotAVX(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ s+24(FP), DX
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	TESTQ CX, CX
	JZ   dotDone
dotLoop:
	VMOVUPS (AX), Y2
	VMOVUPS 32(AX), Y3
	VMULPS (BX), Y2, Y2
	VMULPS 32(BX), Y3, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ CX
	JNZ  dotLoop
dotDone:
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VZEROUPPER
	RET

// func dotSquareAVX(a, b *float32, n int, s, t *[16]float32)
TEXT ·dotSquareAVX(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ s+24(FP), DX
	MOVQ t+32(FP), SI
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	VMOVUPS (SI), Y6
	VMOVUPS 32(SI), Y7
	TESTQ CX, CX
	JZ   dotSquareDone
dotSquareLoop:
	VMOVUPS (AX), Y2
	VMOVUPS 32(AX), Y3
	VMULPS (BX), Y2, Y4
	VMULPS 32(BX), Y3, Y5
	VMULPS Y2, Y2, Y2
	VMULPS Y3, Y3, Y3
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y2, Y6, Y6
	VADDPS Y3, Y7, Y7
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ CX
	JNZ  dotSquareLoop
dotSquareDone:
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VMOVUPS Y6, (SI)
	VMOVUPS Y7, 32(SI)
	VZEROUPPER
	RET

// func l2AVX(a, b *float32, n int, s *[16]float32)
TEXT ·l2AVX(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ s+24(FP), DX
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	TESTQ CX, CX
	JZ   l2Done
l2Loop:
	VMOVUPS (AX), Y2
	VMOVUPS 32(AX), Y3
	VSUBPS (BX), Y2, Y2
	VSUBPS 32(BX), Y3, Y3
	VMULPS Y2, Y2, Y2
	VMULPS Y3, Y3, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ CX
	JNZ  l2Loop
l2Done:
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VZEROUPPER
	RET

// func l1AVX(a, b *float32, n int, s *[16]float32)
TEXT ·l1AVX(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ s+24(FP), DX
	VMOVUPS (DX), Y0
	VMOVUPS 32(DX), Y1
	VXORPS Y4, Y4, Y4
	TESTQ CX, CX
	JZ   l1Done
l1Loop:
	VMOVUPS (AX), Y2
	VMOVUPS 32(AX), Y3
	VSUBPS (BX), Y2, Y2
	VSUBPS 32(BX), Y3, Y3
	VSUBPS Y2, Y4, Y5
	VSUBPS Y3, Y4, Y6
	VMAXPS Y2, Y5, Y2
	VMAXPS Y3, Y6, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ CX
	JNZ  l1Loop
l1Done:
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VZEROUPPER
	RET

// What the patterns of bits add is looked up for all rows of a group at once. Sums of two entries fit a byte; those of rows with an even
// number gather in the low halves of words (the high halves bring in a multiple of 256 that is taken off in the end), those of odd ones in
// words of their own.

// func leastsAVX512(group, tables *byte, pairs int, t *terms, out *[64]float32) (near uint64)
TEXT ·leastsAVX512(SB), NOSPLIT, $128-48
	MOVQ group+0(FP), SI
	MOVQ tables+8(FP), DI
	MOVQ pairs+16(FP), CX
	MOVQ t+24(FP), R8
	MOVQ out+32(FP), R9
	LEAQ 768(SI), R10
	MOVL $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z31
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
leastsPair:
	PREFETCHT0 1536(R10)
	VMOVDQU64 (R10), Z2
	VBROADCASTI32X4 (DI), Z5
	VBROADCASTI32X4 16(DI), Z6
	VPANDQ Z31, Z2, Z3
	VPSRLW $4, Z2, Z4
	VPANDQ Z31, Z4, Z4
	VPSHUFB Z3, Z5, Z5
	VPSHUFB Z4, Z6, Z6
	VPADDB Z6, Z5, Z5
	VPADDW Z5, Z0, Z0
	VPSRLW $8, Z5, Z5
	VPADDW Z5, Z1, Z1
	ADDQ $64, R10
	ADDQ $32, DI
	DECQ CX
	JNZ  leastsPair
	VPSLLW $8, Z1, Z5
	VPSUBW Z5, Z0, Z0
	VPUNPCKLWD Z1, Z0, Z2
	VPUNPCKHWD Z1, Z0, Z3
	VMOVDQU X2, 0(SP)
	VMOVDQU X3, 16(SP)
	VEXTRACTI32X4 $1, Z2, 32(SP)
	VEXTRACTI32X4 $1, Z3, 48(SP)
	VEXTRACTI32X4 $2, Z2, 64(SP)
	VEXTRACTI32X4 $2, Z3, 80(SP)
	VEXTRACTI32X4 $3, Z2, 96(SP)
	VEXTRACTI32X4 $3, Z3, 112(SP)
	VBROADCASTSS 0(R8), Z10
	VBROADCASTSS 4(R8), Z11
	VBROADCASTSS 8(R8), Z12
	VBROADCASTSS 12(R8), Z13
	VBROADCASTSS 16(R8), Z14
	XORQ AX, AX

#define QUARTER(n) \
	VPMOVZXWD (n*32)(SP), Z2      \
	VCVTDQ2PS Z2, Z2              \
	VMULPS Z11, Z2, Z2            \
	VADDPS Z12, Z2, Z2            \
	VMULPS (256+n*64)(SI), Z2, Z2 \
	VADDPS (n*64)(SI), Z10, Z3    \
	VADDPS Z2, Z3, Z2             \
	VMULPS (512+n*64)(SI), Z13, Z3 \
	VSUBPS Z3, Z2, Z2             \
	VMOVUPS Z2, (n*64)(R9)        \
	VCMPPS $18, Z14, Z2, K1       \
	KMOVW K1, BX                  \
	SHLQ $(n*16), BX              \
	ORQ BX, AX

	QUARTER(0)
	QUARTER(1)
	QUARTER(2)
	QUARTER(3)
	MOVQ AX, near+40(FP)
	VZEROUPPER
	RET

// func productsAVX2(packed, tables *byte, pairs int, out *[64]uint16)
TEXT ·productsAVX2(SB), NOSPLIT, $0-32
	MOVQ packed+0(FP), SI
	MOVQ tables+8(FP), DI
	MOVQ pairs+16(FP), CX
	MOVQ out+24(FP), R9
	MOVL $0x0f0f0f0f, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

// HALF adds a pair of 32 rows, at off, to the words of even rows and to those of odd ones.
#define HALF(off, even, odd) \
	VMOVDQU off(SI), Y4   \
	VPAND Y15, Y4, Y5     \
	VPSRLW $4, Y4, Y6     \
	VPAND Y15, Y6, Y6     \
	VPSHUFB Y5, Y7, Y5    \
	VPSHUFB Y6, Y8, Y6    \
	VPADDB Y6, Y5, Y5     \
	VPADDW Y5, even, even \
	VPSRLW $8, Y5, Y5     \
	VPADDW Y5, odd, odd

productsPair:
	VBROADCASTI128 (DI), Y7
	VBROADCASTI128 16(DI), Y8
	HALF(0, Y0, Y1)
	HALF(32, Y2, Y3)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  productsPair

// STORE writes the products of 32 rows in their order, at off.
#define STORE(off, even, odd) \
	VPSLLW $8, odd, Y4          \
	VPSUBW Y4, even, even       \
	VPUNPCKLWD odd, even, Y4    \
	VPUNPCKHWD odd, even, Y5    \
	VMOVDQU X4, off(R9)         \
	VMOVDQU X5, (off+16)(R9)    \
	VEXTRACTI128 $1, Y4, (off+32)(R9) \
	VEXTRACTI128 $1, Y5, (off+48)(R9)

	STORE(0, Y0, Y1)
	STORE(64, Y2, Y3)
	VZEROUPPER
	RET

// func dotBytesAVX2(a *byte, b *int16, n int) int32
TEXT ·dotBytesAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	SHRQ $1, CX
	JZ   dotBytesOdd
dotBytesTwo:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW 16(SI), Y3
	VPMADDWD (DI), Y2, Y2
	VPMADDWD 32(DI), Y3, Y3
	VPADDD Y2, Y0, Y0
	VPADDD Y3, Y1, Y1
	ADDQ $32, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  dotBytesTwo
dotBytesOdd:
	MOVQ n+16(FP), CX
	ANDQ $1, CX
	JZ   dotBytesSum
	VPMOVSXBW (SI), Y2
	VPMADDWD (DI), Y2, Y2
	VPADDD Y2, Y0, Y0
dotBytesSum:
	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, AX
	MOVL AX, ret+24(FP)
	VZEROUPPER
	RET

// Products and sums of single elements, as in Go: a multiplication, then an addition.

// func addScaledAVX2(dst *float32, row *int8, n int, scale float32)
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-28
	MOVQ dst+0(FP), AX
	MOVQ row+8(FP), BX
	MOVQ n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y4
	TESTQ CX, CX
	JZ   addScaledDone
addScaledLoop:
	VPMOVSXBD (BX), Y0
	VPMOVSXBD 8(BX), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS Y4, Y0, Y0
	VMULPS Y4, Y1, Y1
	VADDPS (AX), Y0, Y0
	VADDPS 32(AX), Y1, Y1
	VMOVUPS Y0, (AX)
	VMOVUPS Y1, 32(AX)
	ADDQ $64, AX
	ADDQ $16, BX
	DECQ CX
	JNZ  addScaledLoop
addScaledDone:
	VZEROUPPER
	RET
