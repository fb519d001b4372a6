package main

import (
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/omgdb/omgdb/pgwire"
)

// serveMetrics answers /metrics and /healthz on addr until stop is called; a failure later on goes to failed.
func serveMetrics(addr string, local *pgwire.Local, failed chan<- error) (stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reg.MustRegister(sessionCollectors(local)...)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := local.DB.Catalog(0); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := srv.Serve(l); err != http.ErrServerClosed {
			failed <- err
		}
	}()
	return func() { _ = srv.Close() }, nil
}

func sessionCollectors(local *pgwire.Local) []prometheus.Collector {
	gauge := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, f)
	}
	counter := func(name, help string, f func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, f)
	}
	stats := local.Sessions.Stats
	return []prometheus.Collector{
		gauge("omgdb_sessions", "Sessions connected.", func() float64 { return float64(stats().Sessions) }),
		gauge("omgdb_query_memory_bytes", "Memory that running queries have taken.", func() float64 { return float64(stats().QueryMemory) }),
		gauge("omgdb_plan_cache_bytes", "Estimated size of the plan cache.", func() float64 { return float64(stats().PlanBytes) }),
		gauge("omgdb_column_memory_bytes", "Columns of scanned relations that are kept in memory.", func() float64 { return float64(local.DB.ColumnMemory()) }),
		gauge("omgdb_column_memory_budget_bytes", "The most that columns in memory may take.", func() float64 { return float64(local.DB.ColumnBudget()) }),
		counter("omgdb_plan_cache_hits_total", "Statements whose plan was in the cache.", func() float64 { return float64(stats().PlanHits) }),
		counter("omgdb_plan_cache_misses_total", "Statements that had to be planned.", func() float64 { return float64(stats().PlanMisses) }),
		counter("omgdb_commits_total", "Transactions committed.", func() float64 { return float64(stats().Commits) }),
		counter("omgdb_rollbacks_total", "Transactions rolled back.", func() float64 { return float64(stats().Rollbacks) }),
	}
}
