import java.io.*;
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.PGCopyOutputStream;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.PGobject;
import org.postgresql.util.PSQLException;

/** pgjdbc: metadata, types in both formats, fetch sizes, batches, generated keys, COPY, savepoints, cancel. Prints "label: value" lines. */
public class Jdbc {
    static String url;
    static String db;

    interface Body { Object run() throws Exception; }

    static void show(String label, Body b) {
        String out;
        try {
            out = String.valueOf(b.run());
        } catch (SQLException e) {
            out = "error " + e.getSQLState() + (System.getenv("MESSAGES") != null ? " " + e.getMessage() : "");
        } catch (Exception e) {
            out = "exception " + e;
        }
        System.out.println(label + ": " + out.replace("\\", "\\\\").replace("\n", "\\n"));
    }

    static void exec(Connection c, String... sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            for (String q : sql) s.execute(q);
        }
    }

    static String rows(ResultSet rs, String... columns) throws SQLException {
        StringBuilder out = new StringBuilder();
        ResultSetMetaData md = rs.getMetaData();
        while (rs.next()) {
            if (out.length() > 0) out.append(" | ");
            if (columns.length == 0) {
                for (int i = 1; i <= md.getColumnCount(); i++) {
                    String v = rs.getString(i);
                    boolean catalog = md.getColumnLabel(i).toUpperCase().contains("_CAT");
                    out.append(i > 1 ? "," : "").append(catalog && db.equals(v) ? "DB" : v);
                }
            } else {
                for (int i = 0; i < columns.length; i++) out.append(i > 0 ? "," : "").append(rs.getString(columns[i]));
            }
        }
        rs.close();
        return out.toString();
    }

    static String query(Connection c, String q) throws SQLException {
        try (Statement s = c.createStatement()) {
            return rows(s.executeQuery(q));
        }
    }

    static Connection open(String... props) throws SQLException {
        Properties p = new Properties();
        for (int i = 0; i < props.length; i += 2) p.setProperty(props[i], props[i + 1]);
        return DriverManager.getConnection(url, p);
    }

    public static void main(String[] args) throws Exception {
        java.net.URI u = new java.net.URI(args[0]);
        String[] who = u.getUserInfo().split(":");
        url = "jdbc:postgresql://" + u.getHost() + ":" + u.getPort() + u.getPath() + "?sslmode=disable&user=" + who[0] + (who.length > 1 ? "&password=" + who[1] : "");
        db = u.getPath().substring(1);
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        try (Connection c = open()) {
            setup(c);
            metadata(c);
            types();
            fetch();
            batches(c);
            keys(c);
            copy(c);
            transactions(c);
            cancel();
            updatable(c);
            plans();
            various(c);
            exec(c, "DROP SCHEMA jd CASCADE", "DROP SCHEMA jd2 CASCADE");
        }
    }

    static void setup(Connection c) throws SQLException {
        exec(c, "SET client_min_messages = warning", "DROP SCHEMA IF EXISTS jd CASCADE", "DROP SCHEMA IF EXISTS jd2 CASCADE", "CREATE SCHEMA jd", "CREATE SCHEMA jd2",
            "CREATE TYPE jd.mood AS ENUM ('sad', 'ok')", "CREATE DOMAIN jd.posint AS int4 CHECK (VALUE > 0)", "CREATE TYPE jd.pair AS (x int, y text)",
            "CREATE TABLE jd.a (id serial PRIMARY KEY, name varchar(20) NOT NULL DEFAULT 'x', n numeric(10,2), m jd.mood, p jd.posint, t text[], d date, ts timestamptz(3), b bytea, j jsonb, flag bool, r float4, c char(3), big int8 GENERATED ALWAYS AS IDENTITY)",
            "COMMENT ON TABLE jd.a IS 'table a'", "COMMENT ON COLUMN jd.a.name IS 'its name'",
            "CREATE TABLE jd.b (k1 int, k2 int, aid int REFERENCES jd.a (id) ON DELETE CASCADE ON UPDATE SET NULL, CONSTRAINT b_pk PRIMARY KEY (k2, k1))",
            "CREATE TABLE jd.c (f1 int, f2 int, u int, CONSTRAINT c_fk FOREIGN KEY (f1, f2) REFERENCES jd.b (k2, k1) DEFERRABLE INITIALLY DEFERRED)",
            "CREATE INDEX c_idx ON jd.c (f2 DESC, f1)", "CREATE UNIQUE INDEX c_u ON jd.c (u) WHERE u > 0", "CREATE INDEX c_expr ON jd.c ((f1 + f2))",
            "CREATE VIEW jd.v AS SELECT id, name FROM jd.a", "CREATE MATERIALIZED VIEW jd.mv AS SELECT 1 AS one", "CREATE SEQUENCE jd.s",
            "CREATE FUNCTION jd.plus(a int, b int DEFAULT 1) RETURNS int LANGUAGE sql AS 'SELECT a + b'",
            "CREATE FUNCTION jd.tab(lim int) RETURNS TABLE (x int, y text) LANGUAGE sql AS 'SELECT 1, ''a'''",
            "CREATE FUNCTION jd.setof() RETURNS SETOF jd.a LANGUAGE sql AS 'SELECT * FROM jd.a'",
            "CREATE FUNCTION jd.outs(IN a int, OUT b int, OUT c text) LANGUAGE sql AS 'SELECT a, ''c'''",
            "CREATE PROCEDURE jd.proc(a int) LANGUAGE sql AS 'INSERT INTO jd.c VALUES (NULL, NULL, a)'",
            "CREATE TABLE jd2.d (id int PRIMARY KEY REFERENCES jd.a (id))");
    }

    static void metadata(Connection c) throws SQLException {
        DatabaseMetaData md = c.getMetaData();
        show("md product", () -> md.getDatabaseProductName() + " " + md.getDatabaseMajorVersion());
        show("md schemas", () -> rows(md.getSchemas(null, "jd%")));
        show("md all schemas", () -> { String s = rows(md.getSchemas(), "TABLE_SCHEM"); return s.contains("pg_catalog") && s.contains("information_schema") && s.contains("public"); });
        show("md catalogs", () -> rows(md.getCatalogs()).contains("DB"));
        show("md table types", () -> rows(md.getTableTypes()));
        show("md tables", () -> rows(md.getTables(null, "jd", "%", null)));
        for (String t : new String[] {"TABLE", "VIEW", "MATERIALIZED VIEW", "SEQUENCE", "INDEX", "TYPE", "SYSTEM TABLE"})
            show("md tables " + t, () -> rows(md.getTables(null, "jd", "%", new String[] {t})));
        show("md system tables", () -> rows(md.getTables(null, "pg_catalog", "pg_cla%", new String[] {"SYSTEM TABLE"}), "TABLE_NAME", "TABLE_TYPE"));
        show("md system views", () -> rows(md.getTables(null, "pg_catalog", "pg_tab%", new String[] {"SYSTEM VIEW"}), "TABLE_NAME", "TABLE_TYPE"));
        for (String t : new String[] {"a", "b", "c", "v", "mv"})
            show("md columns " + t, () -> rows(md.getColumns(null, "jd", t, "%")));
        show("md columns pattern", () -> rows(md.getColumns(null, "jd%", "%", "i%"), "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "IS_AUTOINCREMENT"));
        for (String t : new String[] {"a", "b", "c"}) {
            show("md primary keys " + t, () -> rows(md.getPrimaryKeys(null, "jd", t)));
            show("md unique keys " + t, () -> rows(md.getBestRowIdentifier(null, "jd", t, DatabaseMetaData.bestRowSession, false)));
            show("md index info " + t, () -> rows(md.getIndexInfo(null, "jd", t, false, false), "TABLE_NAME", "NON_UNIQUE", "INDEX_NAME", "TYPE", "ORDINAL_POSITION", "COLUMN_NAME", "ASC_OR_DESC", "FILTER_CONDITION"));
            show("md unique index info " + t, () -> rows(md.getIndexInfo(null, "jd", t, true, true), "INDEX_NAME", "COLUMN_NAME"));
            show("md imported keys " + t, () -> rows(md.getImportedKeys(null, "jd", t)));
            show("md exported keys " + t, () -> rows(md.getExportedKeys(null, "jd", t)));
            show("md version columns " + t, () -> rows(md.getVersionColumns(null, "jd", t), "COLUMN_NAME", "DATA_TYPE"));
            show("md table privileges " + t, () -> rows(md.getTablePrivileges(null, "jd", t)));
        }
        show("md column privileges", () -> rows(md.getColumnPrivileges(null, "jd", "c", "%")));
        show("md cross reference", () -> rows(md.getCrossReference(null, "jd", "a", null, "jd2", "d")));
        show("md functions", () -> rows(md.getFunctions(null, "jd", "%")).replaceAll("_\\d+", "_OID"));
        show("md function columns", () -> rows(md.getFunctionColumns(null, "jd", "%", "%")).replaceAll("_\\d+", "_OID"));
        show("md procedures", () -> rows(md.getProcedures(null, "jd", "%"), "PROCEDURE_NAME", "PROCEDURE_TYPE"));
        show("md procedure columns", () -> rows(md.getProcedureColumns(null, "jd", "%", "%"), "PROCEDURE_NAME", "COLUMN_NAME", "COLUMN_TYPE", "TYPE_NAME"));
        show("md builtin functions", () -> rows(md.getFunctions(null, "pg_catalog", "to_char"), "FUNCTION_NAME", "FUNCTION_TYPE"));
        show("md udts", () -> rows(md.getUDTs(null, "jd", "%", null)));
        show("md type info", () -> {
            Map<String, String> m = new TreeMap<>();
            try (ResultSet rs = md.getTypeInfo()) {
                while (rs.next()) m.put(rs.getString("TYPE_NAME"), rs.getInt("DATA_TYPE") + "/" + rs.getInt("PRECISION") + "/" + rs.getString("LITERAL_PREFIX") + "/" + rs.getBoolean("AUTO_INCREMENT"));
            }
            StringBuilder s = new StringBuilder();
            for (String t : "bool int2 int4 int8 float4 float8 numeric text varchar bpchar bytea date time timetz timestamp timestamptz interval uuid json jsonb _int4 _text oid bit varbit name inet".split(" "))
                s.append(t).append('=').append(m.get(t)).append(' ');
            return s;
        });
        show("md keywords", () -> { List<String> k = Arrays.asList(md.getSQLKeywords().split(",")); return k.contains("returning") + " " + k.contains("limit") + " " + k.contains("ilike"); });
        show("md client info", () -> rows(md.getClientInfoProperties(), "NAME", "MAX_LEN"));
        show("md max name", () -> md.getMaxColumnNameLength() + " " + md.getMaxColumnsInIndex() + " " + md.getMaxTableNameLength());
        show("md isolation", () -> md.getDefaultTransactionIsolation() + " " + c.getTransactionIsolation());
        show("md quote", () -> md.getIdentifierQuoteString() + md.getSearchStringEscape());
        show("md user", () -> md.getUserName());
    }

    static final String[][] VALUES = {
        {"int2", "-32768"}, {"int4", "2147483647"}, {"int8", "-9223372036854775808"}, {"float4", "0.1"}, {"float8", "1e300"}, {"float8", "NaN"}, {"numeric", "12345.6780"}, {"numeric", "NaN"},
        {"numeric", "0.00001"}, {"numeric(20,4)", "-10000.5"}, {"bool", "t"}, {"text", "ünï\\x"}, {"varchar(3)", "abc"}, {"char(5)", "ab"}, {"name", "pg"}, {"bytea", "\\x00ff"}, {"date", "2024-02-29"}, {"date", "infinity"},
        {"time", "12:34:56.789"}, {"timetz", "01:02:03+05"}, {"timestamp", "1999-12-31 23:59:59.999999"}, {"timestamptz", "2024-07-01 12:00:00+00"}, {"timestamp", "-infinity"}, {"interval", "1 year 2 mons 3 days 04:05:06.7"},
        {"uuid", "00112233-4455-6677-8899-aabbccddeeff"}, {"json", "{\"b\": 1, \"a\":2}"}, {"jsonb", "{\"b\": 1, \"a\":2}"}, {"int4[]", "{1,NULL,3}"}, {"text[]", "{a,\"b c\",NULL}"}, {"int4[]", "{{1,2},{3,4}}"},
        {"float8[]", "{1.5,NaN}"}, {"inet", "10.0.0.1/8"}, {"cidr", "10.0.0.0/8"}, {"macaddr", "08:00:2b:01:02:03"}, {"bit(4)", "1010"}, {"varbit", "101"}, 
        {"int4range", "[1,5)"}, {"tstzrange", "[2020-01-01 00:00:00+00,)"}, {"oid", "4294967295"}, {"regclass", "pg_class"}, {"regtype", "int4"}, {"jd.mood", "ok"}, {"jd.posint", "5"}, {"jd.pair", "(1,\"a b\")"}, {"tsvector", "'a':1 'b':2"},
        {"xid", "3"}, {"\"char\"", "x"}, {"bool[]", "{t,f}"}, {"uuid[]", "{00112233-4455-6677-8899-aabbccddeeff}"}, {"numeric[]", "{1.10,NULL}"}, {"timestamptz[]", "{\"2024-07-01 12:00:00+00\"}"}, {"jsonb[]", "{\"{\\\"a\\\": 1}\"}"}, {"jd.mood[]", "{sad,ok}"}, {"int4multirange", "{[1,3),[7,9)}"},
    };

    static void types() throws SQLException {
        for (String mode : new String[] {"text", "binary"}) {
            try (Connection c = open("binaryTransfer", String.valueOf(mode.equals("binary")), "prepareThreshold", mode.equals("binary") ? "-1" : "0")) {
                for (String[] v : VALUES) {
                    String what = mode + " " + v[0] + " " + v[1];
                    show(what, () -> {
                        try (PreparedStatement p = c.prepareStatement("SELECT '" + v[1].replace("'", "''") + "'::" + v[0] + " AS v")) {
                            ResultSet rs = p.executeQuery();
                            rs.next();
                            ResultSetMetaData m = rs.getMetaData();
                            Object o = rs.getObject(1);
                            return (o instanceof byte[] ? "" : rs.getString(1) + " ") + m.getColumnTypeName(1) + " " + m.getColumnType(1) + " " + m.getColumnClassName(1) + " " + m.getPrecision(1) + " " + m.getScale(1) + " " + m.getColumnDisplaySize(1) + " " + (o instanceof byte[] ? Arrays.toString((byte[]) o) : o);
                        }
                    });
                }
                show(mode + " int", () -> param(c, "SELECT ?", p -> p.setInt(1, 7)));
                show(mode + " long", () -> param(c, "SELECT ?", p -> p.setLong(1, 1L << 40)));
                show(mode + " short", () -> param(c, "SELECT ?", p -> p.setShort(1, (short) 3)));
                show(mode + " float", () -> param(c, "SELECT ?", p -> p.setFloat(1, 1.5f)));
                show(mode + " double", () -> param(c, "SELECT ?", p -> p.setDouble(1, 0.1)));
                show(mode + " decimal", () -> param(c, "SELECT ?", p -> p.setBigDecimal(1, new BigDecimal("123456789.000100"))));
                show(mode + " string", () -> param(c, "SELECT ?", p -> p.setString(1, "a'b")));
                show(mode + " string as int", () -> param(c, "SELECT id FROM jd.a WHERE id = ?", p -> p.setString(1, "1")));
                show(mode + " bytes", () -> param(c, "SELECT ?", p -> p.setBytes(1, new byte[] {0, 1, -1})));
                show(mode + " boolean", () -> param(c, "SELECT ?", p -> p.setBoolean(1, true)));
                show(mode + " null", () -> param(c, "SELECT ?::int", p -> p.setNull(1, Types.INTEGER)));
                show(mode + " date", () -> param(c, "SELECT ?::date", p -> p.setDate(1, java.sql.Date.valueOf("2024-03-31"))));
                show(mode + " timestamp", () -> param(c, "SELECT ?::timestamp", p -> p.setTimestamp(1, Timestamp.valueOf("2024-03-31 03:30:00.5"))));
                show(mode + " local date", () -> param(c, "SELECT ?", p -> p.setObject(1, LocalDate.of(2020, 2, 29))));
                show(mode + " local date time", () -> param(c, "SELECT ?", p -> p.setObject(1, LocalDateTime.of(2020, 2, 29, 1, 2, 3, 4000))));
                show(mode + " offset date time", () -> param(c, "SELECT ?", p -> p.setObject(1, OffsetDateTime.of(2020, 2, 29, 1, 2, 3, 0, ZoneOffset.ofHours(-7)))));
                show(mode + " uuid", () -> param(c, "SELECT ?", p -> p.setObject(1, UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"))));
                show(mode + " array", () -> param(c, "SELECT ?", p -> p.setArray(1, c.createArrayOf("int4", new Integer[] {1, null, 2}))));
                show(mode + " text array", () -> param(c, "SELECT ?", p -> p.setArray(1, c.createArrayOf("text", new String[] {"a", "b,c", null}))));
                show(mode + " any array", () -> param(c, "SELECT count(*) FROM generate_series(1, 10) g WHERE g = ANY (?)", p -> p.setArray(1, c.createArrayOf("int4", new Integer[] {1, 5, 20}))));
                show(mode + " jsonb", () -> param(c, "SELECT ?::jsonb -> 'a'", p -> { PGobject o = new PGobject(); o.setType("jsonb"); o.setValue("{\"a\": [1]}"); p.setObject(1, o); }));
                show(mode + " enum", () -> param(c, "SELECT ?::jd.mood", p -> p.setObject(1, "ok", Types.OTHER)));
                show(mode + " interval", () -> param(c, "SELECT ?", p -> p.setObject(1, new org.postgresql.util.PGInterval(0, 1, 2, 3, 4, 5.5))));
                show(mode + " get types", () -> {
                    try (PreparedStatement p = c.prepareStatement("SELECT '2024-07-01 12:00:00+00'::timestamptz, '2024-07-01'::date, '12:30'::time, 5::int8, 1.5::numeric, '{1,2}'::int[]")) {
                        ResultSet rs = p.executeQuery();
                        rs.next();
                        return rs.getObject(1, OffsetDateTime.class) + " " + rs.getTimestamp(1) + " " + rs.getObject(2, LocalDate.class) + " " + rs.getObject(3, LocalTime.class) + " " + rs.getInt(4) + " " + rs.getBigDecimal(5) + " " + Arrays.toString((Object[]) rs.getArray(6).getArray());
                    }
                });
            }
        }
    }

    interface Setter { void set(PreparedStatement p) throws SQLException; }

    static String param(Connection c, String q, Setter s) throws SQLException {
        try (PreparedStatement p = c.prepareStatement(q)) {
            s.set(p);
            return rows(p.executeQuery()) + " " + p.getParameterMetaData().getParameterTypeName(1);
        }
    }

    static void fetch() throws SQLException {
        try (Connection c = open("defaultRowFetchSize", "7")) {
            c.setAutoCommit(false);
            show("fetch size", () -> {
                try (Statement s = c.createStatement(); Statement s2 = c.createStatement()) {
                    s.setFetchSize(10);
                    long sum = 0;
                    ResultSet a = s.executeQuery("SELECT g FROM generate_series(1, 95) g"), b = s2.executeQuery("SELECT g FROM generate_series(1, 20) g");
                    while (a.next()) { sum += a.getInt(1); if (b.next()) sum += 1000 * b.getInt(1); }
                    return sum;
                }
            });
            show("fetch max rows", () -> { try (Statement s = c.createStatement()) { s.setMaxRows(12); s.setFetchSize(5); return rows(s.executeQuery("SELECT g FROM generate_series(1, 95) g")); } });
            show("fetch past commit", () -> { try (Statement s = c.createStatement()) { s.setFetchSize(5); ResultSet rs = s.executeQuery("SELECT g FROM generate_series(1, 95) g"); rs.next(); c.commit(); int n = 1; while (rs.next()) n++; return n; } });
            show("after", () -> { c.rollback(); return query(c, "SELECT 1"); });
            show("holdable", () -> { try (Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, ResultSet.HOLD_CURSORS_OVER_COMMIT)) { s.setFetchSize(5); ResultSet rs = s.executeQuery("SELECT g FROM generate_series(1, 95) g"); rs.next(); c.commit(); int n = 1; while (rs.next()) n++; return n; } });
            show("scroll", () -> { try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) { ResultSet rs = s.executeQuery("SELECT g FROM generate_series(1, 9) g"); rs.absolute(5); int a = rs.getInt(1); rs.last(); rs.previous(); return a + " " + rs.getInt(1); } });
            show("refcursor", () -> { exec(c, "DECLARE cu CURSOR FOR SELECT g FROM generate_series(1, 30) g"); return query(c, "FETCH 3 FROM cu") + " " + query(c, "FETCH FORWARD 2 FROM cu"); });
            c.rollback();
        }
    }

    static void batches(Connection c) throws SQLException {
        exec(c, "CREATE TABLE jd.bt (id int PRIMARY KEY, v text)");
        show("batch statement", () -> { try (Statement s = c.createStatement()) { for (int i = 0; i < 5; i++) s.addBatch("INSERT INTO jd.bt VALUES (" + i + ", 'a')"); s.addBatch("UPDATE jd.bt SET v = 'b' WHERE id < 3"); return Arrays.toString(s.executeBatch()); } });
        show("batch prepared", () -> { try (PreparedStatement p = c.prepareStatement("INSERT INTO jd.bt VALUES (?, ?)")) { for (int i = 10; i < 300; i++) { p.setInt(1, i); p.setString(2, "x" + i); p.addBatch(); } return p.executeBatch().length + " " + query(c, "SELECT count(*) FROM jd.bt"); } });
        show("batch failing", () -> { try (PreparedStatement p = c.prepareStatement("INSERT INTO jd.bt VALUES (?, ?)")) { for (int i : new int[] {1000, 1001, 1, 1002}) { p.setInt(1, i); p.setString(2, "y"); p.addBatch(); } try { p.executeBatch(); return "no error"; } catch (BatchUpdateException e) { return e.getSQLState() + " " + Arrays.toString(e.getUpdateCounts()) + " " + query(c, "SELECT count(*) FROM jd.bt WHERE id >= 1000"); } } });
        try (Connection r = open("reWriteBatchedInserts", "true")) {
            show("batch rewritten", () -> { try (PreparedStatement p = r.prepareStatement("INSERT INTO jd.bt VALUES (?, ?)")) { for (int i = 2000; i < 2070; i++) { p.setInt(1, i); p.setString(2, "z"); p.addBatch(); } int n = p.executeBatch().length; return n + " " + query(r, "SELECT count(*) FROM jd.bt WHERE id >= 2000"); } });
        }
        show("batch keys", () -> { try (PreparedStatement p = c.prepareStatement("INSERT INTO jd.a (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) { for (String v : new String[] {"p", "q", "r"}) { p.setString(1, v); p.addBatch(); } p.executeBatch(); StringBuilder s = new StringBuilder(); ResultSet k = p.getGeneratedKeys(); while (k.next()) s.append(k.getInt("id")).append(' '); return s; } });
    }

    static void keys(Connection c) {
        show("keys all", () -> { try (Statement s = c.createStatement()) { s.executeUpdate("INSERT INTO jd.a (name, n) VALUES ('k', 1.5), ('l', 2)", Statement.RETURN_GENERATED_KEYS); return rows(s.getGeneratedKeys(), "id", "name", "n", "big"); } });
        show("keys named", () -> { try (Statement s = c.createStatement()) { s.executeUpdate("INSERT INTO jd.a (name) VALUES ('m')", new String[] {"big", "id"}); return rows(s.getGeneratedKeys()); } });
        show("keys of update", () -> { try (Statement s = c.createStatement()) { s.executeUpdate("UPDATE jd.a SET n = 3 WHERE name = 'k'", new String[] {"n"}); return rows(s.getGeneratedKeys()); } });
        show("keys table meta", () -> { try (Statement s = c.createStatement()) { ResultSetMetaData m = s.executeQuery("SELECT id AS i, name, n + 1 AS more, m FROM jd.a x").getMetaData(); StringBuilder b = new StringBuilder(); for (int i = 1; i <= 4; i++) b.append(((org.postgresql.PGResultSetMetaData) m).getBaseTableName(i)).append('.').append(((org.postgresql.PGResultSetMetaData) m).getBaseColumnName(i)).append(' ').append(m.getColumnName(i)).append(' ').append(m.isNullable(i)).append(' ').append(m.isAutoIncrement(i)).append(' ').append(m.getColumnTypeName(i)).append(" | "); return b; } });
        show("counts", () -> { try (Statement s = c.createStatement()) { StringBuilder b = new StringBuilder(); boolean r = s.execute("SELECT 1; UPDATE jd.a SET n = 4 WHERE id = 1; SELECT 2"); while (true) { if (r) { ResultSet rs = s.getResultSet(); rs.next(); b.append("rs").append(rs.getInt(1)).append(' '); } else { int n = s.getUpdateCount(); if (n < 0) break; b.append("n").append(n).append(' '); } r = s.getMoreResults(); } return b; } });
        show("returning", () -> query(c, "DELETE FROM jd.a WHERE name = 'm' RETURNING name"));
    }

    static void copy(Connection c) throws SQLException {
        exec(c, "CREATE TABLE jd.cp (a int, b text, d numeric)");
        CopyManager m = ((PGConnection) c).getCopyAPI();
        show("copy in", () -> m.copyIn("COPY jd.cp FROM STDIN", new StringReader("1\tone\t1.5\n2\t\\N\t2\n")));
        show("copy in csv", () -> m.copyIn("COPY jd.cp FROM STDIN WITH (FORMAT csv, HEADER)", new StringReader("a,b,d\n3,\"x\ny\",\n4,\"\",9\n")));
        show("copy out", () -> { StringWriter w = new StringWriter(); long n = m.copyOut("COPY (SELECT * FROM jd.cp ORDER BY a) TO STDOUT", w); return n + w.toString(); });
        show("copy out csv", () -> { StringWriter w = new StringWriter(); m.copyOut("COPY (SELECT * FROM jd.cp ORDER BY a) TO STDOUT CSV HEADER FORCE QUOTE b", w); return w; });
        show("copy stream", () -> { PGCopyOutputStream o = new PGCopyOutputStream((PGConnection) c, "COPY jd.cp (a, b) FROM STDIN"); for (int i = 100; i < 1100; i++) o.write((i + "\tline " + i + "\n").getBytes("UTF-8")); o.close(); return query(c, "SELECT count(*), sum(a) FROM jd.cp"); });
        show("copy bad", () -> m.copyIn("COPY jd.cp FROM STDIN", new StringReader("x\ty\t1\n")));
        show("copy bad columns", () -> m.copyIn("COPY jd.cp FROM STDIN", new StringReader("1\n")));
        show("copy binary", () -> { ByteArrayOutputStream b = new ByteArrayOutputStream(); m.copyOut("COPY (SELECT 1::int4, 'a'::text) TO STDOUT BINARY", b); StringBuilder h = new StringBuilder(); for (byte x : b.toByteArray()) h.append(String.format("%02x", x)); return h; });
        show("copy cancelled", () -> { var ci = m.copyIn("COPY jd.cp FROM STDIN"); byte[] r = "7\t7\t7\n".getBytes(); ci.writeToCopy(r, 0, r.length); ci.cancelCopy(); return query(c, "SELECT count(*) FROM jd.cp WHERE a = 7"); });
    }

    static void transactions(Connection c) throws SQLException {
        exec(c, "CREATE TABLE jd.tx (id int PRIMARY KEY)");
        c.setAutoCommit(false);
        show("savepoints", () -> { exec(c, "INSERT INTO jd.tx VALUES (1)"); Savepoint s = c.setSavepoint("s1"); exec(c, "INSERT INTO jd.tx VALUES (2)"); Savepoint t = c.setSavepoint(); try { exec(c, "INSERT INTO jd.tx VALUES (1)"); } catch (SQLException e) { c.rollback(t); } String a = query(c, "SELECT count(*) FROM jd.tx"); c.rollback(s); c.commit(); return a + " " + query(c, "SELECT count(*) FROM jd.tx"); });
        show("aborted", () -> { try { exec(c, "SELECT 1/0"); } catch (SQLException e) { } return query(c, "SELECT 1"); });
        show("autosave", () -> { c.rollback(); try (Connection a = open("autosave", "always")) { a.setAutoCommit(false); exec(a, "INSERT INTO jd.tx VALUES (5)"); try { exec(a, "INSERT INTO jd.tx VALUES (5)"); } catch (SQLException e) { } a.commit(); return query(a, "SELECT count(*) FROM jd.tx"); } });
        c.commit();
        c.setAutoCommit(true);
        for (int level : new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
            show("isolation " + level, () -> { c.setTransactionIsolation(level); return query(c, "SHOW transaction_isolation") + " " + c.getTransactionIsolation(); });
        c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        show("read only", () -> { try (Connection r = open()) { r.setReadOnly(true); r.setAutoCommit(false); exec(r, "INSERT INTO jd.tx VALUES (9)"); return "no error"; } });
        show("schema", () -> { try (Connection r = open()) { r.setSchema("jd"); return r.getSchema() + " " + query(r, "SELECT count(*) FROM tx"); } });
        show("current schema", () -> { try (Connection r = open("currentSchema", "jd,public")) { return r.getSchema() + " " + query(r, "SHOW search_path"); } });
        show("application name", () -> { try (Connection r = open("ApplicationName", "jd app")) { String a = query(r, "SHOW application_name"); r.setClientInfo("ApplicationName", "other"); return a + " " + query(r, "SHOW application_name") + " " + r.getClientInfo("ApplicationName"); } });
        show("options", () -> { try (Connection r = open("options", "-c statement_timeout=3456 -c search_path=jd")) { return query(r, "SHOW statement_timeout") + query(r, "SHOW search_path"); } });
        show("error fields", () -> { try { exec(c, "INSERT INTO jd.tx VALUES (1)"); return "none"; } catch (PSQLException e) { var s = e.getServerErrorMessage(); return s.getMessage() + " " + s.getDetail() + " " + s.getSchema() + " " + s.getTable() + " " + s.getConstraint() + " " + s.getSeverity(); } });
        show("position", () -> { try { exec(c, "SELECT nope FROM jd.tx"); return "none"; } catch (PSQLException e) { var s = e.getServerErrorMessage(); return s.getMessage() + " " + s.getPosition(); } });
        show("warnings", () -> { try (Statement s = c.createStatement()) { s.execute("SET client_min_messages = notice"); s.execute("DROP TABLE IF EXISTS jd.nope"); SQLWarning w = s.getWarnings(); s.execute("SET client_min_messages = warning"); return w == null ? "none" : w.getSQLState() + " " + w.getMessage(); } });
    }

    static void cancel() throws SQLException {
        try (Connection c = open()) {
            show("cancel", () -> { Statement s = c.createStatement(); Timer t = new Timer(true); t.schedule(new TimerTask() { public void run() { try { s.cancel(); } catch (SQLException e) { } } }, 200); return rows(s.executeQuery("SELECT pg_sleep(20)")); });
            show("query timeout", () -> { try (Statement s = c.createStatement()) { s.setQueryTimeout(1); return rows(s.executeQuery("SELECT pg_sleep(20)")); } });
            show("after cancel", () -> query(c, "SELECT 1"));
            show("statement timeout", () -> { exec(c, "SET statement_timeout = 100"); return query(c, "SELECT pg_sleep(20)"); });
            show("valid", () -> c.isValid(2));
            show("network timeout", () -> { c.setNetworkTimeout(Runnable::run, 5000); return c.getNetworkTimeout(); });
        }
    }

    static void updatable(Connection c) {
        show("updatable", () -> { try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE)) { ResultSet rs = s.executeQuery("SELECT id, v FROM jd.bt WHERE id < 5 ORDER BY id"); rs.next(); rs.updateString("v", "changed"); rs.updateRow(); rs.next(); rs.deleteRow(); rs.moveToInsertRow(); rs.updateInt("id", 77); rs.updateString("v", "new"); rs.insertRow(); return query(c, "SELECT id, v FROM jd.bt WHERE id < 5 OR id = 77 ORDER BY id"); } });
        show("refresh row", () -> { try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE)) { ResultSet rs = s.executeQuery("SELECT id, v FROM jd.bt WHERE id = 77"); rs.next(); exec(c, "UPDATE jd.bt SET v = 'late' WHERE id = 77"); rs.refreshRow(); return rs.getString("v"); } });
    }

    static void plans() throws SQLException {
        try (Connection c = open("prepareThreshold", "1")) {
            exec(c, "CREATE TABLE jd.pl (a int)");
            PreparedStatement p = c.prepareStatement("SELECT * FROM jd.pl");
            show("plan", () -> { p.executeQuery(); p.executeQuery(); exec(c, "INSERT INTO jd.pl VALUES (1)", "ALTER TABLE jd.pl ADD b int DEFAULT 2"); return rows(p.executeQuery()); });
            show("plan again", () -> rows(p.executeQuery()));
            show("deallocate", () -> { exec(c, "DEALLOCATE ALL"); return rows(p.executeQuery()); });
            show("discard all", () -> { exec(c, "DISCARD ALL"); return rows(p.executeQuery()); });
        }
        for (String mode : new String[] {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"}) {
            show("query mode " + mode, () -> { try (Connection c = open("preferQueryMode", mode); PreparedStatement p = c.prepareStatement("SELECT ?::int + 1, ?::text, ?::numeric")) { p.setInt(1, 1); p.setString(2, "it's \\"); p.setBigDecimal(3, new BigDecimal("1.0")); return rows(p.executeQuery()); } });
        }
    }

    static void various(Connection c) throws SQLException {
        show("call function", () -> { try (CallableStatement s = c.prepareCall("{ ? = call jd.plus(?, ?) }")) { s.registerOutParameter(1, Types.INTEGER); s.setInt(2, 3); s.setInt(3, 4); s.execute(); return s.getInt(1); } });
        show("call out", () -> { try (CallableStatement s = c.prepareCall("{ call jd.outs(?, ?, ?) }")) { s.setInt(1, 3); s.registerOutParameter(2, Types.INTEGER); s.registerOutParameter(3, Types.VARCHAR); s.execute(); return s.getInt(2) + s.getString(3); } });
        show("call procedure", () -> { try (CallableStatement s = c.prepareCall("call jd.proc(?)")) { s.setInt(1, 5); s.execute(); return query(c, "SELECT u FROM jd.c"); } });
        show("escapes", () -> { try (Statement s = c.createStatement()) { return rows(s.executeQuery("SELECT {fn concat('a', 'b')}, {d '2020-01-02'}, {ts '2020-01-02 03:04:05'}, {fn ucase('x')}, {fn length('abc')}")); } });
        show("like escape", () -> query(c, "SELECT 'a_b' LIKE 'a!_b' {escape '!'}"));
        show("notify", () -> { try (Connection l = open()) { exec(l, "LISTEN jdc"); exec(c, "NOTIFY jdc, 'hello'"); PGNotification[] n = ((PGConnection) l).getNotifications(5000); return n.length + n[0].getName() + n[0].getParameter(); } });
        show("parameter status", () -> { var p = ((PGConnection) c).getParameterStatuses(); return p.get("client_encoding") + " " + p.get("DateStyle") + " " + p.get("integer_datetimes") + " " + p.get("standard_conforming_strings") + " " + p.get("TimeZone") + " " + p.get("is_superuser"); });
        show("struct", () -> query(c, "SELECT ROW(1, 'a')::jd.pair, ARRAY[ROW(2, 'b')::jd.pair]"));
        show("array result set", () -> { try (Statement s = c.createStatement()) { ResultSet rs = s.executeQuery("SELECT ARRAY['a', NULL, 'c']"); rs.next(); return rows(rs.getArray(1).getResultSet()); } });
        show("large object", () -> { ((PGConnection) c).getLargeObjectAPI(); return "api"; });
        show("xml", () -> query(c, "SELECT 'x'::text"));
        show("escape literal", () -> ((PGConnection) c).escapeLiteral("it's \\ ") + ((PGConnection) c).escapeIdentifier("a\"b"));
        show("max params", () -> { StringBuilder q = new StringBuilder("SELECT ?::int"); for (int i = 1; i < 500; i++) q.append(" + ?::int"); try (PreparedStatement p = c.prepareStatement(q.toString())) { for (int i = 1; i <= 500; i++) p.setInt(i, i); return rows(p.executeQuery()); } });
        show("clob", () -> { try (PreparedStatement p = c.prepareStatement("SELECT ?")) { p.setCharacterStream(1, new StringReader("stream"), 6); return rows(p.executeQuery()); } });
        show("binary stream", () -> { try (PreparedStatement p = c.prepareStatement("SELECT length(?::bytea)")) { p.setBinaryStream(1, new ByteArrayInputStream(new byte[70000])); return rows(p.executeQuery()); } });
        show("parameter metadata", () -> { try (PreparedStatement p = c.prepareStatement("INSERT INTO jd.a (name, n, ts, t, m) VALUES (?, ?, ?, ?, ?)")) { ParameterMetaData m = p.getParameterMetaData(); StringBuilder b = new StringBuilder(); for (int i = 1; i <= m.getParameterCount(); i++) b.append(m.getParameterTypeName(i)).append(' ').append(m.getParameterType(i)).append(' '); return b; } });
        show("statement metadata", () -> { try (PreparedStatement p = c.prepareStatement("SELECT * FROM jd.a")) { ResultSetMetaData m = p.getMetaData(); StringBuilder b = new StringBuilder(); for (int i = 1; i <= m.getColumnCount(); i++) b.append(m.getColumnLabel(i)).append(' ').append(m.getColumnTypeName(i)).append(' ').append(m.isNullable(i)).append(m.isAutoIncrement(i)).append(m.getPrecision(i)).append(' '); return b; } });
    }
}
