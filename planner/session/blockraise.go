package session

import (
	"context"
	"strings"

	"github.com/omgdb/omgdb/planner/parse"
	"github.com/omgdb/omgdb/storage/dberr"
)

// assertFailure is the SQLSTATE of ASSERT.
const assertFailure = "P0004"

// conditionNames are the names by which PL/pgSQL knows errors, with their SQLSTATEs.
const conditionNames = `
successful_completion 00000 warning 01000 no_data 02000 connection_exception 08000 connection_failure 08006 protocol_violation 08P01
triggered_action_exception 09000 feature_not_supported 0A000 invalid_transaction_initiation 0B000 case_not_found 20000 cardinality_violation 21000
data_exception 22000 array_subscript_error 2202E character_not_in_repertoire 22021 datetime_field_overflow 22008 division_by_zero 22012
error_in_assignment 22005 escape_character_conflict 2200B indicator_overflow 22022 interval_field_overflow 22015 invalid_argument_for_logarithm 2201E
invalid_argument_for_power_function 2201F invalid_character_value_for_cast 22018 invalid_datetime_format 22007 invalid_escape_character 22019
invalid_parameter_value 22023 invalid_regular_expression 2201B invalid_row_count_in_limit_clause 2201W invalid_row_count_in_result_offset_clause 2201X
invalid_time_zone_displacement_value 22009 null_value_not_allowed 22004 numeric_value_out_of_range 22003 string_data_length_mismatch 22026
string_data_right_truncation 22001 substring_error 22011 trim_error 22027 zero_length_character_string 2200F invalid_text_representation 22P02
invalid_binary_representation 22P03 bad_copy_file_format 22P04 untranslatable_character 22P05 integrity_constraint_violation 23000
restrict_violation 23001 not_null_violation 23502 foreign_key_violation 23503 unique_violation 23505 check_violation 23514 exclusion_violation 23P01
invalid_cursor_state 24000 invalid_transaction_state 25000 active_sql_transaction 25001 read_only_sql_transaction 25006
no_active_sql_transaction 25P01 in_failed_sql_transaction 25P02 invalid_sql_statement_name 26000 triggered_data_change_violation 27000
invalid_authorization_specification 28000 invalid_password 28P01 dependent_privilege_descriptors_still_exist 2B000 dependent_objects_still_exist 2BP01
invalid_transaction_termination 2D000 sql_routine_exception 2F000 external_routine_exception 38000 invalid_cursor_name 34000 invalid_catalog_name 3D000
savepoint_exception 3B000 invalid_savepoint_specification 3B001 invalid_schema_name 3F000 transaction_rollback 40000 serialization_failure 40001
transaction_integrity_constraint_violation 40002 deadlock_detected 40P01 syntax_error_or_access_rule_violation 42000 syntax_error 42601
insufficient_privilege 42501 cannot_coerce 42846 grouping_error 42803 windowing_error 42P20 invalid_recursion 42P19 invalid_foreign_key 42830
invalid_name 42602 name_too_long 42622 reserved_name 42939 datatype_mismatch 42804 indeterminate_datatype 42P18 collation_mismatch 42P21
wrong_object_type 42809 undefined_column 42703 undefined_function 42883 undefined_table 42P01 undefined_parameter 42P02 undefined_object 42704
duplicate_column 42701 duplicate_cursor 42P03 duplicate_database 42P04 duplicate_function 42723 duplicate_prepared_statement 42P05
duplicate_schema 42P06 duplicate_table 42P07 duplicate_alias 42712 duplicate_object 42710 ambiguous_column 42702 ambiguous_function 42725
ambiguous_parameter 42P08 ambiguous_alias 42P09 invalid_column_reference 42P10 invalid_column_definition 42611 invalid_cursor_definition 42P11
invalid_database_definition 42P12 invalid_function_definition 42P13 invalid_prepared_statement_definition 42P14 invalid_schema_definition 42P15
invalid_table_definition 42P16 invalid_object_definition 42P17 with_check_option_violation 44000 insufficient_resources 53000 disk_full 53100
out_of_memory 53200 too_many_connections 53300 program_limit_exceeded 54000 statement_too_complex 54001 too_many_columns 54011
too_many_arguments 54023 object_not_in_prerequisite_state 55000 object_in_use 55006 cant_change_runtime_param 55P02 lock_not_available 55P03
operator_intervention 57000 query_canceled 57014 admin_shutdown 57P01 system_error 58000 io_error 58030 undefined_file 58P01 duplicate_file 58P02
plpgsql_error P0000 raise_exception P0001 no_data_found P0002 too_many_rows P0003 assert_failure P0004 internal_error XX000 data_corrupted XX001`

// conditionCode gives the SQLSTATE that a name or a SQLSTATE means, "" for neither.
func conditionCode(name string) string {
	fields := strings.Fields(conditionNames)
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == name {
			return fields[i+1]
		}
	}
	if len(name) == 5 {
		return strings.ToUpper(name)
	}
	return ""
}

// errorPart gives what GET STACKED DIAGNOSTICS asks of an error.
func errorPart(e *dberr.Error, kind string) string {
	switch kind {
	case "RETURNED_SQLSTATE":
		return e.Code
	case "MESSAGE_TEXT":
		return e.Message
	case "PG_EXCEPTION_DETAIL":
		return e.Detail
	case "PG_EXCEPTION_HINT":
		return e.Hint
	case "PG_EXCEPTION_CONTEXT":
		return e.Where
	case "COLUMN_NAME":
		return e.Column
	case "CONSTRAINT_NAME":
		return e.Constraint
	case "PG_DATATYPE_NAME":
		return e.DataType
	case "TABLE_NAME":
		return e.Table
	case "SCHEMA_NAME":
		return e.Schema
	}
	return ""
}

// raise is RAISE: a notice, or an error.
func (r *blockRun) raise(ctx context.Context, st *parse.PLStmt) error {
	x := &st.Raise
	if x.Condition == "" && x.Format == "" && len(x.Options) == 0 {
		if len(r.errs) == 0 {
			return dberr.New("0Z002", "RAISE without parameters cannot be used outside an exception handler")
		}
		return r.errs[len(r.errs)-1]
	}
	e := &dberr.Error{Severity: x.Level, Code: "P0001"}
	switch x.Level {
	case "EXCEPTION":
		e.Severity = ""
	case "WARNING":
		e.Code = "01000"
	default:
		e.Code = dberr.SuccessfulCompletion
	}
	if x.Condition != "" {
		if e.Code = conditionCode(strings.ToLower(x.Condition)); e.Code == "" {
			return errNoCondition(x.Condition)
		}
	}
	if err := r.message(ctx, e, st); err != nil {
		return err
	}
	for _, o := range x.Options {
		v, t, err := r.eval(ctx, o.Expr)
		if err != nil {
			return err
		}
		if v.IsNull() {
			return dberr.New(dberr.NullValueNotAllowed, "RAISE statement option cannot be null")
		}
		text, err := r.text(ctx, typed{v, t})
		if err != nil {
			return err
		}
		if err := raiseOption(e, o.Name, text); err != nil {
			return err
		}
	}
	if e.Message == "" {
		if e.Message = x.Condition; e.Message == "" {
			e.Message = e.Code
		}
	}
	if x.Level == "EXCEPTION" {
		return e
	}
	r.s.notice(e)
	return nil
}

// message fills the places of the format with values.
func (r *blockRun) message(ctx context.Context, e *dberr.Error, st *parse.PLStmt) error {
	args, err := r.evalAll(ctx, st.Params)
	if err != nil {
		return err
	}
	var b strings.Builder
	for f := st.Raise.Format; f != ""; {
		i := strings.IndexByte(f, '%')
		if i < 0 {
			b.WriteString(f)
			break
		}
		b.WriteString(f[:i])
		f = f[i+1:]
		if strings.HasPrefix(f, "%") {
			b.WriteByte('%')
			f = f[1:]
			continue
		}
		if len(args) == 0 {
			return dberr.New(dberr.SyntaxError, "too few parameters specified for RAISE")
		}
		text, err := r.text(ctx, args[0])
		if err != nil {
			return err
		}
		b.WriteString(text)
		args = args[1:]
	}
	if len(args) > 0 {
		return dberr.New(dberr.SyntaxError, "too many parameters specified for RAISE")
	}
	e.Message = b.String()
	return nil
}

func raiseOption(e *dberr.Error, name, text string) error {
	parts := map[string]*string{"MESSAGE": &e.Message, "DETAIL": &e.Detail, "HINT": &e.Hint, "COLUMN": &e.Column, "CONSTRAINT": &e.Constraint,
		"DATATYPE": &e.DataType, "TABLE": &e.Table, "SCHEMA": &e.Schema}
	if name != "ERRCODE" {
		*parts[name] = text
		return nil
	}
	if e.Code = conditionCode(text); e.Code == "" {
		return errNoCondition(text)
	}
	return nil
}

// assert is ASSERT.
func (r *blockRun) assert(ctx context.Context, st *parse.PLStmt) error {
	if yes, err := r.truth(ctx, st.Expr); err != nil || yes {
		return err
	}
	e := dberr.New(assertFailure, "assertion failed")
	if st.Raise.Format != "" {
		v, t, err := r.eval(ctx, st.Raise.Format)
		if err != nil {
			return err
		}
		if e.Message, err = r.text(ctx, typed{v, t}); err != nil {
			return err
		}
	}
	return e
}
