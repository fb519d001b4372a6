package scalar

import (
	"time"

	"github.com/omgdb/omgdb/functions/scalar/tochar"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// formatting gives to_char, to_date, to_timestamp and to_number. Templates of nothing give NULL for to_char of dates, as do infinities.
func formatting() []def {
	number := func(of func(v val) tochar.Number) eval {
		return try(func(a []val) (val, error) {
			s, err := tochar.NumToChar(of(a[0]), a[1].Str())
			return text(s), err
		})
	}
	return []def{
		{Sig: "to_char(int4,text)", Eval: number(func(v val) tochar.Number { return tochar.Int4{Integer: tochar.Integer(v.Int())} })},
		{Sig: "to_char(int8,text)", Eval: number(func(v val) tochar.Number { return tochar.Integer(v.Int()) })},
		{Sig: "to_char(float4,text)", Eval: number(func(v val) tochar.Number { return tochar.Float{F: v.Float(), Single: true} })},
		{Sig: "to_char(float8,text)", Eval: number(func(v val) tochar.Number { return tochar.Float{F: v.Float()} })},
		{Sig: "to_char(numeric,text)", Eval: number(func(v val) tochar.Number { return tochar.Numeric{D: typeio.Num(v)} })},
		{Sig: "to_char(timestamp,text)", Eval: try(func(a []val) (val, error) {
			if dt.Infinite(a[0].Int()) || a[1].Str() == "" {
				return value.Null, nil
			}
			return dateText(tochar.FromTimestamp(a[0].Int()), a[1])
		})},
		{Sig: "to_char(timestamptz,text)", Eval: with(func(c *call, a []val) (val, error) {
			us := a[0].Int()
			if dt.Infinite(us) || a[1].Str() == "" {
				return value.Null, nil
			}
			offset, abbrev, _ := dt.OffsetAt(zone(c), us)
			m := tochar.FromTimestamp(us + int64(offset)*dt.Second)
			m.Zone, m.Offset, m.HasZone = abbrev, offset, true
			return dateText(m, a[1])
		})},
		{Sig: "to_char(interval,text)", Eval: try(func(a []val) (val, error) {
			if a[1].Str() == "" {
				return value.Null, nil
			}
			return dateText(tochar.FromInterval(span(a[0])), a[1])
		})},
		{Sig: "to_number(text,text)", Eval: try(func(a []val) (val, error) {
			if a[1].Str() == "" {
				return value.Null, nil
			}
			return box(tochar.NumFromChar(a[0].Str(), a[1].Str()))
		})},
		{Sig: "to_date(text,text)", Eval: try(func(a []val) (val, error) {
			p, err := tochar.DateFromChar(a[0].Str(), a[1].Str())
			if err != nil {
				return value.Null, err
			}
			if d := dt.DaysOf(p.Tm.Year, p.Tm.Month, p.Tm.Day); dt.ValidDate(d) {
				return value.Int(d), nil
			}
			return value.Null, dberr.New(dberr.DatetimeFieldOverflow, `date out of range: "%s"`, a[0].Str())
		})},
		{Sig: "to_timestamp(text,text)", Eval: with(func(c *call, a []val) (val, error) { return timestampFrom(zone(c), a) })},
	}
}

func dateText(m tochar.Moment, template val) (val, error) {
	s, err := tochar.DateToChar(m, template.Str())
	return text(s), err
}

func timestampFrom(loc *time.Location, a []val) (val, error) {
	p, err := tochar.DateFromChar(a[0].Str(), a[1].Str())
	if err != nil {
		return value.Null, err
	}
	bad := dberr.New(dberr.DatetimeFieldOverflow, "timestamp out of range")
	local, ok := p.Tm.Join()
	if !ok {
		return value.Null, bad
	}
	us := local - int64(p.Offset)*dt.Second
	if !p.HasZone {
		us = dt.ToUTC(loc, local)
	}
	if !dt.ValidTimestamp(us) {
		return value.Null, bad
	}
	return value.Int(us), nil
}
