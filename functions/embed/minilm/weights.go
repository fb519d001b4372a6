package minilm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
)

// tensors is an open safetensors file: a 64-bit header length, a JSON header (name → type, shape, byte range), the data. It is mapped, not
// read: pages that several processes use are in memory once.
type tensors struct {
	data   []byte // the whole mapping
	body   []byte
	header map[string]tensor
}

type tensor struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

func openTensors(path string) (*tensors, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < 8 {
		return nil, fmt.Errorf("%s is not a safetensors file", path)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	t := &tensors{data: data}
	if err := t.readHeader(); err != nil {
		_ = t.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (t *tensors) readHeader() error {
	n := binary.LittleEndian.Uint64(t.data)
	if n > uint64(len(t.data)-8) {
		return fmt.Errorf("not a safetensors file")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(t.data[8:8+n], &raw); err != nil {
		return fmt.Errorf("not a safetensors file: %w", err)
	}
	t.body = t.data[8+n:]
	t.header = make(map[string]tensor, len(raw))
	for name, msg := range raw {
		if name == "__metadata__" {
			continue
		}
		var x tensor
		if err := json.Unmarshal(msg, &x); err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
		if x.Offsets[0] < 0 || x.Offsets[1] < x.Offsets[0] || x.Offsets[1] > int64(len(t.body)) {
			return fmt.Errorf("tensor %s lies outside the file", name)
		}
		t.header[name] = x
	}
	return nil
}

// floats gives the bytes of a float32 tensor of the given shape.
func (t *tensors) floats(name string, shape ...int) ([]byte, error) {
	x, ok := t.header[name]
	if !ok {
		return nil, fmt.Errorf("the weights have no tensor %s", name)
	}
	n := int64(4)
	for _, d := range shape {
		n *= int64(d)
	}
	if x.DType != "F32" || fmt.Sprint(x.Shape) != fmt.Sprint(shape) || x.Offsets[1]-x.Offsets[0] != n {
		return nil, fmt.Errorf("tensor %s is %s%v, want F32%v", name, x.DType, x.Shape, shape)
	}
	return t.body[x.Offsets[0]:x.Offsets[1]], nil
}

func (t *tensors) close() error { return syscall.Munmap(t.data) }
