package wire

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// command is one line of a script with its transcript.
type command struct {
	line     int // from 1
	verb     string
	words    []string
	messages []value  // of a > command; consecutive > lines are one command
	count    int      // of a read
	what     string   // of a read
	want     []string // of a read
	end      int      // line index after the command's transcript
}

// Script is a parsed script file.
type Script struct {
	Path     string
	commands []*command
	lines    []string
}

// ReadScript reads a script file.
func ReadScript(path string) (*Script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := parseScript(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	s.Path = path
	return s, nil
}

func parseScript(text string) (*Script, error) {
	s := &Script{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	for i, line := range s.lines {
		if err := s.parseLine(i, line); err != nil {
			return nil, fmt.Errorf("%d: %w", i+1, err)
		}
	}
	return s, nil
}

func (s *Script) parseLine(i int, line string) error {
	var last *command
	if len(s.commands) > 0 {
		last = s.commands[len(s.commands)-1]
	}
	switch {
	case line == "" || strings.HasPrefix(line, "#"):
		return nil
	case strings.HasPrefix(line, "  "):
		if last == nil || last.verb != "read" || last.end != i {
			return fmt.Errorf("a transcript line must follow a read")
		}
		last.want = append(last.want, line[2:])
		last.end = i + 1
		return nil
	case strings.HasPrefix(line, ">"):
		calls, err := parseCalls(line[1:])
		if err != nil {
			return err
		}
		if last != nil && last.verb == ">" && last.end == i {
			last.messages = append(last.messages, calls...)
			last.end = i + 1
			return nil
		}
		s.commands = append(s.commands, &command{line: i + 1, verb: ">", messages: calls, end: i + 1})
		return nil
	}
	words := strings.Fields(line)
	c := &command{line: i + 1, verb: words[0], words: words[1:], end: i + 1}
	s.commands = append(s.commands, c)
	return c.check()
}

// check validates a command's words.
func (c *command) check() error {
	switch c.verb {
	case "open", "dial", "close":
		return nil
	case "on", "cancel":
		if len(c.words) != 1 {
			return fmt.Errorf("%s wants a connection's name", c.verb)
		}
		return nil
	case "read":
		return c.checkRead()
	}
	return fmt.Errorf("unknown command %q", c.verb)
}

func (c *command) checkRead() error {
	c.count, c.what = 1, "Z"
	words := c.words
	if len(words) > 1 {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 1 {
			return fmt.Errorf("read %s: want a count", words[0])
		}
		c.count, words = n, words[1:]
	}
	if len(words) == 1 {
		c.what = words[0]
	}
	special := slices.Contains([]string{"close", "end", "byte", "quiet"}, c.what)
	if len(words) > 1 || len(c.what) != 1 && !special {
		return fmt.Errorf("read wants [count] and a message type, close, end, byte or quiet")
	}
	return nil
}

// rewritten is the script with the transcripts that a run gathered.
func (s *Script) rewritten(got map[*command][]string) []byte {
	var b bytes.Buffer
	at := 0
	copyTo := func(end int) {
		for ; at < end; at++ {
			b.WriteString(s.lines[at] + "\n")
		}
	}
	for _, c := range s.commands {
		lines, ok := got[c]
		if !ok {
			continue
		}
		copyTo(c.line)
		for _, l := range lines {
			b.WriteString("  " + l + "\n")
		}
		at = c.end
	}
	copyTo(len(s.lines))
	return b.Bytes()
}
