// Package vfs is the small part of a file system that kv/bolt's log and run files need, as an interface, so that tests can
// record what was written and synced, cut the power, and make any operation fail (package faultfs).
package vfs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// FS is one flat directory. What is said about durability holds for power loss: without the sync named, any part of the change,
// or none, may be found afterwards.
type FS interface {
	// Open opens an existing file for reading and writing.
	Open(name string) (File, error)
	// Create makes a new, empty file; it is an error if there is one. Its name is durable after SyncDir.
	Create(name string) (File, error)
	// Rename is durable after SyncDir; it replaces newName.
	Rename(oldName, newName string) error
	// Remove is durable after SyncDir.
	Remove(name string) error
	// List gives the names of all files, in no order.
	List() ([]string, error)
	// SyncDir makes the directory's names durable.
	SyncDir() error
}

// File is an open file. Writes and sizes are durable after Sync.
type File interface {
	io.ReaderAt
	io.WriterAt
	Size() (int64, error)
	Sync() error
	// Map gives the whole content for reading, valid until Close; the file must not be written any more.
	Map() ([]byte, error)
	// Forget takes the mapped content out of memory; it comes back as it is read.
	Forget()
	Close() error
}

// Dir is the directory of the operating system at path, which exists.
func Dir(path string) FS { return dir(path) }

type dir string

func (d dir) path(name string) string { return filepath.Join(string(d), name) }

func (d dir) Open(name string) (File, error) { return d.open(name, os.O_RDWR) }

func (d dir) Create(name string) (File, error) {
	return d.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func (d dir) open(name string, flag int) (File, error) {
	f, err := os.OpenFile(d.path(name), flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &file{File: f}, nil
}

func (d dir) Rename(oldName, newName string) error {
	return os.Rename(d.path(oldName), d.path(newName))
}

func (d dir) Remove(name string) error { return os.Remove(d.path(name)) }

func (d dir) List() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

func (d dir) SyncDir() error {
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

type file struct {
	*os.File
	mapped []byte
}

func (f *file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *file) Sync() error { return syncData(f.File) }

func (f *file) Map() ([]byte, error) {
	if f.mapped != nil {
		return f.mapped, nil
	}
	size, err := f.Size()
	if err != nil || size == 0 {
		return nil, err
	}
	f.mapped, err = mapFile(f.File, size)
	return f.mapped, err
}

func (f *file) Forget() {
	if f.mapped != nil {
		forgetMap(f.mapped)
	}
}

func (f *file) Close() error {
	var err error
	if f.mapped != nil {
		err = unmapFile(f.mapped)
		f.mapped = nil
	}
	return errors.Join(err, f.File.Close())
}
