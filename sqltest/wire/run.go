package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// Target is the server that scripts run against.
type Target struct {
	Network, Address string // as for net.Dial
	User, Database   string
	Timeout          time.Duration // for one read; 0 means 10 s
}

// quietTime is how long `read quiet` listens: the only wait for something that should not happen.
const quietTime = 150 * time.Millisecond

// maxBody guards against a length that is nonsense.
const maxBody = 64 << 20

// Problem is a read whose replies differ from the transcript.
type Problem struct {
	Line      int
	Got, Want []string
}

func (p Problem) String() string {
	return fmt.Sprintf("line %d:\n got  %s\n want %s", p.Line, strings.Join(p.Got, " "), strings.Join(p.Want, " "))
}

// Outcome of a script. It passes when every read gave the transcript's messages and, of errors and notices, severity
// and SQLSTATE; it is exact when all their fields are the same too.
type Outcome struct {
	Path     string
	Pass     bool
	Exact    bool
	Problems []Problem // differences at exact comparison
	got      map[*command][]string
}

// Run plays a script. The error is about the script or the way to the server; differences are in the Outcome.
func (t Target) Run(s *Script) (*Outcome, error) {
	p := &player{target: t, conns: map[string]*connection{}, out: &Outcome{Path: s.Path, Pass: true, Exact: true, got: map[*command][]string{}}}
	defer p.closeAll()
	for _, c := range s.commands {
		if err := p.do(c); err != nil {
			return p.out, fmt.Errorf("%s:%d: %w", s.Path, c.line, err)
		}
	}
	return p.out, nil
}

// Rewrite puts the replies that a run gathered into the script's file.
func (s *Script) Rewrite(o *Outcome) error {
	return os.WriteFile(s.Path, s.rewritten(o.got), 0o644)
}

// player holds a script's connections while it runs.
type player struct {
	target Target
	conns  map[string]*connection
	on     string
	out    *Outcome
}

type connection struct {
	net.Conn
	in  *bufio.Reader
	key secret
}

func (p *player) closeAll() {
	for _, c := range p.conns {
		c.Close()
	}
}

func (p *player) do(c *command) error {
	switch c.verb {
	case "dial":
		return p.dial(c.words)
	case "open":
		return p.open(c.words)
	case "on":
		p.on = c.words[0]
		_, err := p.current()
		return err
	case ">":
		return p.send(c.messages)
	case "cancel":
		return p.cancel(c.words[0])
	case "close":
		conn, err := p.current()
		if err != nil {
			return err
		}
		return conn.Close()
	}
	return p.read(c)
}

func (p *player) current() (*connection, error) {
	c := p.conns[p.on]
	if c == nil {
		return nil, fmt.Errorf("no connection %q", p.on)
	}
	return c, nil
}

func (p *player) timeout() time.Duration {
	if p.target.Timeout > 0 {
		return p.target.Timeout
	}
	return 10 * time.Second
}

// dial opens a connection under the first word that is no KEY=VALUE, or main.
func (p *player) dial(words []string) error {
	p.on = "main"
	if len(words) > 0 && !strings.Contains(words[0], "=") {
		p.on = words[0]
	}
	nc, err := net.DialTimeout(p.target.Network, p.target.Address, p.timeout())
	if err != nil {
		return err
	}
	if old := p.conns[p.on]; old != nil {
		old.Close()
	}
	p.conns[p.on] = &connection{Conn: nc, in: bufio.NewReader(nc)}
	return nil
}

// open dials and starts up with the KEY=VALUE words as parameters.
func (p *player) open(words []string) error {
	if err := p.dial(words); err != nil {
		return err
	}
	start := value{kind: callValue, text: "startup", list: []value{{kind: numberValue, num: 3 << 16}}}
	for _, w := range words {
		if k, v, ok := strings.Cut(w, "="); ok {
			start.list = append(start.list, value{text: k}, value{text: v})
		}
	}
	if err := p.send([]value{start}); err != nil {
		return err
	}
	lines, err := p.gather(1, "Z")
	if err != nil {
		return err
	}
	if last := lines[len(lines)-1]; last != "Z[I]" {
		return fmt.Errorf("start-up ended with %s", last)
	}
	return nil
}

// send writes messages in one write.
func (p *player) send(messages []value) error {
	conn, err := p.current()
	if err != nil {
		return err
	}
	enc := encoder{
		params: [][2]string{{"user", p.target.User}, {"database", p.target.Database}},
		secretOf: func(name string) (secret, error) {
			if c := p.conns[name]; c != nil && c.key != nil {
				return c.key, nil
			}
			return nil, fmt.Errorf("connection %q has no key", name)
		},
	}
	var b []byte
	for _, m := range messages {
		if b, err = enc.encode(b, m); err != nil {
			return err
		}
	}
	conn.SetWriteDeadline(time.Now().Add(p.timeout()))
	_, err = conn.Write(b)
	return err
}

// read gathers replies and compares them.
func (p *player) read(c *command) error {
	got, err := p.gather(c.count, c.what)
	if err != nil {
		return err
	}
	p.out.got[c] = got
	if equal(got, c.want) {
		return nil
	}
	p.out.Exact = false
	p.out.Problems = append(p.out.Problems, Problem{c.line, got, c.want})
	if !equal(briefly(got), briefly(c.want)) {
		p.out.Pass = false
	}
	return nil
}

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

// briefly keeps of errors and notices severity and SQLSTATE.
func briefly(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l
		if strings.HasPrefix(l, "E[") || strings.HasPrefix(l, "N[") {
			words := strings.SplitN(l, " ", 3)
			out[i] = strings.Join(words[:min(2, len(words))], " ")
		}
	}
	return out
}

// gather reads up to the count-th message of the wanted type, or to the end of the connection, which prints as close.
func (p *player) gather(count int, what string) ([]string, error) {
	conn, err := p.current()
	if err != nil {
		return nil, err
	}
	wait := p.timeout()
	if what == "quiet" {
		wait = quietTime
	}
	conn.SetReadDeadline(time.Now().Add(wait))
	if what == "byte" {
		b, err := conn.in.ReadByte()
		return []string{fmt.Sprintf("byte %c", b)}, err
	}
	if what == "end" {
		_, err := io.Copy(io.Discard, conn.in)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, fmt.Errorf("the connection did not end within %s", wait)
		}
		return []string{"end"}, nil
	}
	var out []string
	for count > 0 {
		m, err := conn.next()
		if errors.Is(err, errGarbage) {
			return append(out, "garbage"), nil
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && what == "quiet" {
			return append(out, "quiet"), nil
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return out, fmt.Errorf("nothing more came within %s after: %s", wait, strings.Join(out, " "))
		}
		if err != nil { // end, or reset by a server that left bytes unread
			return append(out, "close"), nil
		}
		out = append(out, m.trace())
		if string(m.kind) == what {
			count--
		}
	}
	return out, nil
}

// errGarbage means bytes that cannot be a message.
var errGarbage = errors.New("not a message")

// next reads one message and keeps the key when it is BackendKeyData.
func (c *connection) next() (message, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return message{}, err
	}
	n := int(binary.BigEndian.Uint32(head[1:])) - 4
	if n < 0 || n > maxBody {
		return message{}, errGarbage
	}
	m := message{head[0], make([]byte, n)}
	_, err := io.ReadFull(c.in, m.body)
	if m.kind == 'K' && err == nil {
		c.key = m.body
	}
	return m, err
}

// cancel sends CancelRequests until the connection answers with an error, or is ready: one that arrives before the statement has begun
// is ignored by design, so one alone would be a matter of luck.
func (p *player) cancel(name string) error {
	conn := p.conns[name]
	if conn == nil || conn.key == nil {
		return fmt.Errorf("connection %q has no key", name)
	}
	// A server that says at once what it has, before the statement waits, shows that way that it has begun; others say nothing yet.
	conn.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = conn.in.Peek(1)
	for end := time.Now().Add(p.timeout()); time.Now().Before(end); {
		if err := p.sendCancel(conn.key); err != nil {
			return err
		}
		conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if answered(conn.in) {
			return nil
		}
	}
	return fmt.Errorf("no answer on %q after CancelRequests for %s", name, p.timeout())
}

// answered looks, without reading them, whether an ErrorResponse or ReadyForQuery is among the messages that come.
func answered(in *bufio.Reader) bool {
	for at := 0; ; {
		head, err := in.Peek(at + 5)
		if err != nil {
			return false
		}
		if k := head[at]; k == 'E' || k == 'Z' {
			return true
		}
		at += 1 + int(binary.BigEndian.Uint32(head[at+1:]))
	}
}

func (p *player) sendCancel(key secret) error {
	nc, err := net.DialTimeout(p.target.Network, p.target.Address, p.timeout())
	if err != nil {
		return err
	}
	defer nc.Close()
	if _, err := nc.Write(framed(nil, cancelBody(key, 0))); err != nil {
		return err
	}
	nc.SetReadDeadline(time.Now().Add(p.timeout()))
	if n, err := nc.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return fmt.Errorf("CancelRequest: got %d bytes and %v, want the end of the connection", n, err)
	}
	return nil
}
