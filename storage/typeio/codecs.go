package typeio

import (
	"github.com/omgdb/omgdb/storage/value"
)

// codecs is the table of scalar types by OID. Container types (arrays, ranges …) are handled by their class.
var codecs = map[uint32]*codec{
	value.Boolean.OID: {in: boolIn, out: boolOut, cmp: boolCmp, hash: boolHash},
	value.Int2.OID:    {in: int2In, out: intOut, cmp: intCmp, hash: intHash},
	value.Int4.OID:    {in: int4In, out: intOut, cmp: intCmp, hash: intHash},
	value.Int8.OID:    {in: int8In, out: intOut, cmp: intCmp, hash: intHash},
	value.Float4.OID:  {in: float4In, out: float4Out, cmp: floatCmp, hash: floatHash},
	value.Float8.OID:  {in: float8In, out: float8Out, cmp: floatCmp, hash: floatHash},
	value.Numeric.OID: {in: numericIn, out: numericOut, cmp: numericCmp, hash: numericHash, mod: numericMod},
	value.Text.OID:    {in: textIn, out: textOut, cmp: textCmp, hash: textHash},
	value.Varchar.OID: {in: textIn, out: textOut, cmp: textCmp, hash: textHash, mod: varcharMod},
	value.BPChar.OID:  {in: textIn, out: textOut, cmp: bpcharCmp, hash: bpcharHash, mod: bpcharMod},
	value.Name.OID:    {in: nameIn, out: textOut, cmp: textCmp, hash: textHash},
	value.Char.OID:    {in: charIn, out: charOut, cmp: textCmp, hash: textHash},
	value.Unknown.OID: {in: textIn, out: textOut, cmp: textCmp, hash: textHash},
	value.CString.OID: {in: textIn, out: textOut},
	value.Void.OID:    {in: textIn, out: textOut},
	value.Bytea.OID:   {in: byteaIn, out: byteaOut, cmp: textCmp, hash: textHash},
	value.UUID.OID:    {in: uuidIn, out: uuidOut, cmp: textCmp, hash: textHash},
	value.JSON.OID:    {in: jsonIn, out: textOut},
	value.JSONB.OID:   {in: jsonbIn, out: jsonbOut, cmp: jsonbCmp, hash: jsonbHash},

	value.OID.OID:           {in: oidIn, out: oidOut, cmp: oidCmp, hash: intHash},
	value.XID.OID:           {in: oidIn, out: oidOut, cmp: oidCmp, hash: intHash},
	value.CID.OID:           {in: oidIn, out: oidOut, cmp: oidCmp, hash: intHash},
	value.RegProc.OID:       {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegProcedure.OID:  {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegOper.OID:       {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegOperator.OID:   {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegClass.OID:      {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegType.OID:       {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegNamespace.OID:  {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegRole.OID:       {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegCollation.OID:  {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegConfig.OID:     {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.RegDictionary.OID: {in: regIn, out: regOut, cmp: oidCmp, hash: intHash},
	value.Int2Vector.OID:    {in: vectorIn, out: vectorOut, cmp: arrayCmp0, hash: arrayHash0},
	value.OIDVector.OID:     {in: vectorIn, out: vectorOut, cmp: arrayCmp0, hash: arrayHash0},
}
