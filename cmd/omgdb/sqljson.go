package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	boolOID  = 16
	jsonOID  = 114
	jsonbOID = 3802
)

// printJSON writes each row as an object, a line each: numbers, booleans and JSON as they are, everything else as strings.
func printJSON(w io.Writer, r *pgconn.ResultReader) error {
	fields := r.FieldDescriptions()
	var line []byte
	for r.NextRow() {
		line = append(line[:0], '{')
		for i, v := range r.Values() {
			if i > 0 {
				line = append(line, ',')
			}
			name, err := json.Marshal(fields[i].Name)
			if err != nil {
				return err
			}
			line = append(append(line, name...), ':')
			if line, err = appendJSON(line, fields[i].DataTypeOID, v); err != nil {
				return err
			}
		}
		line = append(line, "}\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func appendJSON(dst []byte, oid uint32, v []byte) ([]byte, error) {
	switch {
	case v == nil:
		return append(dst, "null"...), nil
	case oid == boolOID && len(v) == 1:
		if v[0] == 't' {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	case oid == jsonOID, oid == jsonbOID:
		return append(dst, strings.ReplaceAll(string(v), "\n", " ")...), nil
	case numericOID[oid] && json.Valid(v):
		return append(dst, v...), nil
	}
	text, err := json.Marshal(string(v))
	return append(dst, text...), err
}
