package sim

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
)

// Fleet is clusters that are simulated.
type Fleet struct {
	// Clusters are in the order of their numbers.
	Clusters []*Cluster

	authority []byte
	server    *http.Server
}

// clusterKey is that of the cluster in the context of a connection.
type clusterKey struct{}

// New starts so many clusters. Whoever starts them closes them.
func New(count int) (*Fleet, error) {
	certificate, authority, err := newCertificate()
	if err != nil {
		return nil, err
	}
	f := &Fleet{authority: authority, server: &http.Server{
		Handler: http.HandlerFunc(serve), ErrorLog: log.New(io.Discard, "", 0),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			if secured, ok := conn.(*tls.Conn); ok {
				conn = secured.NetConn()
			}
			if known, ok := conn.(*connection); ok {
				return context.WithValue(ctx, clusterKey{}, known.cluster)
			}
			return ctx
		},
	}}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13, NextProtos: []string{"h2", "http/1.1"}}
	for i := range count {
		cluster, err := newCluster("c"+strconv.Itoa(i), authority)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		f.Clusters = append(f.Clusters, cluster)
		go func() { _ = f.server.Serve(tls.NewListener(cluster.faults, config)) }() // it ends with Close
	}
	return f, nil
}

// maxStreams is how many requests one connection carries at a time, as with kube-apiserver.
const maxStreams = 100

// Close ends all clusters.
func (f *Fleet) Close() error {
	for _, cluster := range f.Clusters {
		cluster.faults.heal()
	}
	return f.server.Close()
}

// Connections returns how many connections to the clusters are open.
func (f *Fleet) Connections() int {
	open := 0
	for _, cluster := range f.Clusters {
		open += cluster.faults.count()
	}
	return open
}

// Requests returns how many requests of each sort all clusters have served. See Cluster.Requests.
func (f *Fleet) Requests() map[string]int {
	all := map[string]int{}
	for _, cluster := range f.Clusters {
		for what, count := range cluster.Requests() {
			all[what] += count
		}
	}
	return all
}

// Each calls the function with each cluster and its number, until one of the calls fails.
func (f *Fleet) Each(do func(number int, cluster *Cluster) error) error {
	for i, cluster := range f.Clusters {
		if err := do(i, cluster); err != nil {
			return fmt.Errorf("cluster %s: %w", cluster.Name, err)
		}
	}
	return nil
}
