package sysfunc

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/omgdb/omgdb/functions"
	"github.com/omgdb/omgdb/storage/catalog"
	"github.com/omgdb/omgdb/storage/dberr"
	"github.com/omgdb/omgdb/storage/typeio"
	"github.com/omgdb/omgdb/storage/typeio/dt"
	"github.com/omgdb/omgdb/storage/value"
)

// server lists the functions about the server as a whole, its state and what PostgreSQL's servers have besides (replication, recovery, WAL).
func server() []def {
	null, no := fixed(value.Null), fixed(value.Bool(false))
	return []def{
		{Sig: "pg_postmaster_start_time()", Eval: env(func(e *functions.Env, _ []val) (val, error) {
			return value.Int(dt.FromTime(e.Session.ServerStart())), nil
		})},
		{Sig: "pg_conf_load_time()", Eval: env(func(e *functions.Env, _ []val) (val, error) {
			return value.Int(dt.FromTime(e.Session.ServerStart())), nil
		})},
		{Sig: "current_query()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return text(e.Session.QueryText()), nil })},
		{Sig: "inet_client_port()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return portOf(e.Session.RemoteAddr()), nil })},
		{Sig: "inet_server_port()", Eval: env(func(e *functions.Env, _ []val) (val, error) {
			if _, ok := e.Session.RemoteAddr(); !ok {
				return value.Null, nil
			}
			port, _ := e.Settings.Get("port")
			n, err := typeio.In(value.Int4, -1, port, e.Format)
			return n, err
		})},
		{Sig: "inet_client_addr()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return addrOf(e.Session.RemoteAddr()), nil })},
		{Sig: "inet_server_addr()", Eval: env(func(e *functions.Env, _ []val) (val, error) { return addrOf(e.Session.LocalAddr()), nil })},
		{Sig: "pg_is_in_recovery()", Eval: no}, {Sig: "pg_is_wal_replay_paused()", Eval: no},
		{Sig: "pg_is_other_temp_schema(oid)", Eval: env(otherTemp)},
		{Sig: "pg_my_temp_schema()", Eval: env(myTemp)},
		{Sig: "pg_jit_available()", Eval: no},
		{Sig: "pg_trigger_depth()", Eval: fixed(value.Int(0))},
		{Sig: "pg_reload_conf()", Eval: fixed(value.Bool(true))}, {Sig: "pg_rotate_logfile()", Eval: no},
		{Sig: "pg_blocking_pids(int4)", Eval: env(blockingPIDs)}, {Sig: "pg_safe_snapshot_blocking_pids(int4)", Eval: fixed(value.Box(value.NewArray(value.Int4, nil)))},
		{Sig: "pg_notification_queue_usage()", Eval: fixed(value.Float(0))},
		{Sig: "pg_notify(text,text)", Eval: env(notify)},
		{Sig: "pg_current_logfile()", Eval: null}, {Sig: "pg_current_logfile(text)", Eval: null},
		{Sig: "pg_last_wal_receive_lsn()", Eval: null}, {Sig: "pg_last_wal_replay_lsn()", Eval: null}, {Sig: "pg_last_xact_replay_timestamp()", Eval: null},
		{Sig: "pg_current_wal_lsn()", Eval: env(walLSN)}, {Sig: "pg_current_wal_insert_lsn()", Eval: env(walLSN)}, {Sig: "pg_current_wal_flush_lsn()", Eval: env(walLSN)},
		{Sig: "txid_current()", Eval: env(xid)}, {Sig: "txid_current_if_assigned()", Eval: env(xid)},
		{Sig: "pg_current_xact_id()", Eval: env(xid)}, {Sig: "pg_current_xact_id_if_assigned()", Eval: env(xid)},
		{Sig: "pg_stat_clear_snapshot()", Eval: fixed(text(""))}, {Sig: "pg_stat_reset()", Eval: fixed(text(""))},
		{Sig: "pg_export_snapshot()", Eval: env(func(*functions.Env, []val) (val, error) {
			return value.Null, dberr.New(dberr.FeatureNotSupported, "snapshots cannot be exported").WithHint("Read in one transaction; REPEATABLE READ keeps its snapshot.")
		})},
		{Sig: "pg_settings_get_flags(text)", Eval: fixed(value.Box(value.NewArray(value.Text, nil)))},
		{Sig: "pg_encoding_to_char(int4)", Eval: env(encodingName)},
		{Sig: "pg_char_to_encoding(name)", Eval: env(encodingNumber)},
	}
}

// largeObjects lists the functions of large objects, which don't exist: each says so.
func largeObjects() []def {
	var out []def
	refuse := env(func(*functions.Env, []val) (val, error) {
		return value.Null, dberr.New(dberr.FeatureNotSupported, "large objects are not supported").WithHint("Keep the bytes in a bytea column or a document field.")
	})
	for _, sig := range []string{
		"lo_creat(int4)", "lo_create(oid)", "lo_open(oid,int4)", "lo_close(int4)", "lo_unlink(oid)", "lo_get(oid)", "lo_get(oid,int8,int4)", "lo_put(oid,int8,bytea)",
		"lo_from_bytea(oid,bytea)", "lo_import(text)", "lo_import(text,oid)", "lo_export(oid,text)", "lo_lseek(int4,int4,int4)", "lo_lseek64(int4,int8,int4)",
		"lo_tell(int4)", "lo_tell64(int4)", "lo_truncate(int4,int4)", "lo_truncate64(int4,int8)", "loread(int4,int4)", "lowrite(int4,bytea)",
	} {
		out = append(out, def{Sig: sig, Eval: refuse})
	}
	return out
}

func portOf(a functions.Addr, ok bool) val {
	if !ok {
		return value.Null
	}
	return value.Int(int64(a.Port()))
}

func addrOf(a functions.Addr, ok bool) val {
	if !ok {
		return value.Null
	}
	ip := a.Addr().Unmap()
	return value.Box(netip.PrefixFrom(ip, ip.BitLen()))
}

// tempSchemaID is the session's schema of temporary objects, 0 while it has none.
func tempSchemaID(e *functions.Env) catalog.ID {
	for _, s := range e.Session.SearchPath(true) {
		if strings.HasPrefix(s, "pg_temp") {
			if sc := e.Txn.Catalog().Schema(s); sc != nil {
				return sc.ID
			}
		}
	}
	return 0
}

func myTemp(e *functions.Env, _ []val) (val, error) { return value.Int(int64(tempSchemaID(e))), nil }

func otherTemp(e *functions.Env, a []val) (val, error) {
	sc := e.Txn.Catalog().SchemaByID(catalog.ID(a[0].Int()))
	return value.Bool(sc != nil && strings.HasPrefix(sc.Name, "pg_temp") && sc.ID != tempSchemaID(e)), nil
}

// blockingPIDs finds who holds locks that a session waits for.
func blockingPIDs(e *functions.Env, a []val) (val, error) {
	locks := e.DB.Locks()
	var out []val
	seen := map[int32]bool{}
	for _, w := range locks {
		if w.Granted || int64(w.PID) != a[0].Int() {
			continue
		}
		for _, h := range locks {
			if h.Granted && h.Tag == w.Tag && h.PID != w.PID && !seen[h.PID] {
				seen[h.PID] = true
				out = append(out, value.Int(int64(h.PID)))
			}
		}
	}
	return value.Box(value.NewArray(value.Int4, out)), nil
}

func notify(e *functions.Env, a []val) (val, error) {
	channel, payload := "", ""
	if !a[0].IsNull() {
		channel = a[0].Str()
	}
	if !a[1].IsNull() {
		payload = a[1].Str()
	}
	return text(""), e.Session.Notify(channel, payload)
}

// walLSN shows the place in the history of changes as a log position.
func walLSN(e *functions.Env, _ []val) (val, error) { return value.Int(int64(e.Txn.LSN())), nil }

func xid(e *functions.Env, _ []val) (val, error) { return value.Int(int64(e.Txn.LSN()) + 1), nil }

func sleep(ctx context.Context, d time.Duration) (val, error) {
	if d <= 0 {
		return text(""), nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return text(""), nil
	case <-ctx.Done():
		return value.Null, context.Cause(ctx)
	}
}

func signal(e *functions.Env, pid int64, terminate bool) (val, error) {
	ok := e.Session.Cancel(int32(pid), terminate)
	if !ok && e.Notice != nil {
		e.Notice("WARNING", "01000", "PID "+typeio.Text(value.Int8, value.Int(pid), typeio.Default)+" is not a PostgreSQL server process")
	}
	return value.Bool(ok), nil
}
