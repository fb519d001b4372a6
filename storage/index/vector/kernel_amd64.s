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
