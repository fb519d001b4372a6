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

// STEP adds the bits that the chunk in Z1 has in common with plane n, at DI, times 2^n.
#define STEP(n) \
	VPANDQ (n*64)(DI), Z1, Z2 \
	VPOPCNTQ Z2, Z2           \
	VPSLLQ $n, Z2, Z2         \
	VPADDQ Z2, Z0, Z0

#define CHUNK \
	STEP(0) \
	STEP(1) \
	STEP(2) \
	STEP(3) \
	STEP(4) \
	STEP(5)

// func dotsAVX512(codes, planeBits *uint64, words, n int, out *int32)
TEXT ·dotsAVX512(SB), NOSPLIT, $0-40
	MOVQ codes+0(FP), SI
	MOVQ words+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ out+32(FP), R10
	MOVQ R8, CX
	ANDQ $7, CX          // words of the last chunk, 0: it is whole
	MOVQ $1, R11
	SHLQ CX, R11
	DECQ R11
	KMOVQ R11, K2
	MOVQ CX, R12
	SHLQ $3, R12         // their bytes
	SHRQ $3, R8          // whole chunks
row:
	MOVQ planeBits+8(FP), DI
	VPXORQ Z0, Z0, Z0
	MOVQ R8, CX
	TESTQ CX, CX
	JZ   last
whole:
	VMOVDQU64 (SI), Z1
	CHUNK
	ADDQ $64, SI
	ADDQ $384, DI
	DECQ CX
	JNZ  whole
last:
	TESTQ R12, R12
	JZ   total
	VMOVDQU64.Z (SI), K2, Z1
	CHUNK
	ADDQ R12, SI
total:
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDQ Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDQ X1, X0, X0
	VPSHUFD $0xEE, X0, X1
	VPADDQ X1, X0, X0
	VMOVD X0, AX
	MOVL AX, (R10)
	ADDQ $4, R10
	DECQ R9
	JNZ  row
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
