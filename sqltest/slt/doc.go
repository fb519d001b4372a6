// Package slt runs sqllogictest files against any server that speaks the PostgreSQL protocol.
//
// A run reads as: Parse a file into records → open a fresh State for it → execute each record on a session of that
// state → compare what came back with what the record expects → count. Suite does this for many files in parallel.
//
// # Records
//
// Records are parted by blank lines; a line that starts with # is a comment.
//
//	statement ok                         the SQL below must succeed
//	statement error [SQLSTATE [TEXT]]    it must fail, with that code and with TEXT in its message
//	statement count N                    it must succeed and touch N rows
//	query TYPES [SORT] [rows] [names] [LABEL]
//	SQL
//	----
//	expected values, one a line, or: N values hashing to MD5
//	query error [SQLSTATE [TEXT]]        as statement error, counted as an expected error too
//	skipif ENGINE / onlyif ENGINE        before a record (one or more lines)
//	connection NAME                      before a record: run it on that session instead of the first one
//	halt                                 end of the file
//	hash-threshold N                     used when results are rewritten, otherwise ignored
//
// TYPES has a letter a column: I prints integers (fractions truncated), R three decimals, T text with bytes outside
// printable ASCII as @ and empty as (empty), S what the server sent, only line breaks and backslashes escaped.
// SORT is nosort, rowsort or valuesort. Queries of one file with one LABEL must give one result.
//
// Beyond sqllogictest: SQLSTATEs, connection, S, count, `rows` (a row a line, columns joined by " | ") and `names`
// (the first expected line, or lines without `rows`, are the column names).
package slt
