package push

import (
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/watch"
)

const (
	// gatherTime is for how long reports of several clusters are gathered before the rule is reconciled.
	gatherTime = 500 * time.Millisecond
	// pauseTime is how much time passes for each cluster of a rule, at least, between two reconciles on account of its clusters, each of which looks at all
	// of them.
	//
	// Example: the operator starts, and a rule has copies in 1,000 clusters, which are connected within a minute, and report. The rule is reconciled every
	// ten seconds meanwhile, and not for each of them.
	pauseTime = 10 * time.Millisecond
)

// reports are what branches have reported of a rule.
type reports struct {
	last map[string]projector.ClusterReport[rule] // by cluster
	// asked are the versions of the rule that branches were asked to reconcile, or have reconciled before anybody asked, and due those of them that were
	// asked, and have not reported since.
	asked map[string]version
	due   map[string]bool
	// unrecorded are the clusters that the rule no longer records, or is about to. Nothing is written there.
	unrecorded map[string]bool
	// clusters is how many the rule copies into, or may have copies in.
	clusters int
	// reconcileAt is when the rule is to be reconciled on account of them; zero: it is not. That is not before notBefore, unless all have reported.
	reconcileAt, notBefore time.Time
	// changed is when one of the clusters has changed since the rule was last reconciled on account of that; zero: none has.
	changed time.Time
}

func newReports() *reports {
	return &reports{last: map[string]projector.ClusterReport[rule]{}, asked: map[string]version{}, due: map[string]bool{}, unrecorded: map[string]bool{}}
}

func (r *reports) drop(cluster string) {
	delete(r.last, cluster)
	delete(r.asked, cluster)
	delete(r.due, cluster)
}

// version is what of a rule decides whether a branch has to reconcile it again.
type version struct {
	uid        types.UID
	generation int64
	isDeleting bool
	identity   string // of the cluster, as it is recorded; empty: it is not
}

func versionOf(of rule, cluster string) version {
	return version{
		uid: of.UID, generation: of.Generation, isDeleting: of.DeletionTimestamp != nil, identity: projector.RecordedIdentity(of, cluster),
	}
}

// isAsked notes that the branch of the cluster is asked to reconcile that version of the rule, and reports whether it was before.
func (c *Clusters) isAsked(key types.NamespacedName, cluster string, wanted version) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.reportsOf(key)
	if of.unrecorded[cluster] && wanted.identity != "" {
		delete(of.unrecorded, cluster)
		delete(of.asked, cluster) // it may have been kept from writing since
	}
	if of.asked[cluster] == wanted {
		return true
	}
	of.asked[cluster], of.due[cluster] = wanted, true
	return false
}

// Renew implements projector.Fanout.
func (c *Clusters) Renew(of types.NamespacedName, cluster string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.reportsOf(of)
	known.drop(cluster)
	known.asked[cluster] = version{} // what a branch reports that has begun before does not count
}

// Unrecord implements projector.Fanout.
func (c *Clusters) Unrecord(of rule, cluster string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.reportsOf(client.ObjectKeyFromObject(of))
	last := known.last[cluster]
	if last.Rule != of.UID || last.Generation != of.Generation || !last.IsClear {
		return false
	}
	known.unrecorded[cluster] = true
	return true
}

// mayWrite reports whether the branch may write copies of the rule. If so, it no longer counts as reported that the rule has none there.
func (c *Clusters) mayWrite(from *branch, of types.NamespacedName) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.reports[of]
	if known == nil {
		return c.branches[from.name] == from
	}
	if c.branches[from.name] != from || known.unrecorded[from.name] {
		return false
	}
	if last, found := known.last[from.name]; found {
		last.IsClear = false
		known.last[from.name] = last
	}
	return true
}

// reportsOf returns the reports of the rule. The lock is held.
func (c *Clusters) reportsOf(key types.NamespacedName) *reports {
	of, found := c.reports[key]
	if !found {
		of = newReports()
		c.reports[key] = of
	}
	return of
}

// Reported implements projector.Fanout.
func (c *Clusters) Reported(of types.NamespacedName, cluster string) (projector.ClusterReport[rule], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, found := c.reports[of]
	if !found {
		return projector.ClusterReport[rule]{}, false
	}
	report, found := known.last[cluster]
	return report, found
}

// report takes what a branch reports of a rule, and has the rule reconciled if that is news: at once if no other branch is about to report.
func (c *Clusters) report(from *branch, of rule, report projector.Report) {
	key := client.ObjectKeyFromObject(of)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.branches[from.name] != from || !c.isReported(of) {
		return // the branch or the rule has ended
	}
	known := c.reportsOf(key)
	before, found := known.last[from.name]
	status := &v1.ClusterProjection{Status: *of.Status.DeepCopy()}
	next := projector.ClusterReport[rule]{Report: report, Status: status}
	wasDue := known.due[from.name]
	delete(known.due, from.name)
	known.last[from.name] = next
	if _, isAsked := known.asked[from.name]; !isAsked { // the branch was faster
		known.asked[from.name] = versionOf(of, from.name)
	}
	c.tended.AddAfter(from.name, countTime)
	switch isSame := found && equality.Semantic.DeepEqual(before, next); {
	case isSame && known.reconcileAt.IsZero():
	case wasDue && len(known.due) == 0:
		c.reconcile(key, known)
	case len(known.due) == 0:
		c.reconcileAfter(key, known, 0)
	default:
		c.reconcileAfter(key, known, gatherTime)
	}
}

// noteClusters notes how many clusters the rule copies into, or may have copies in.
func (c *Clusters) noteClusters(of rule, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.reports[client.ObjectKeyFromObject(of)]; known != nil {
		known.clusters = count
	}
}

// reconcileAfter has the rule reconciled after that time, unless it is reconciled earlier, and not before notBefore. The lock is held.
func (c *Clusters) reconcileAfter(key types.NamespacedName, of *reports, wait time.Duration) {
	now := c.options.Clock.Now()
	at := now.Add(wait)
	if at.Before(of.notBefore) {
		at = of.notBefore
	}
	if !of.reconcileAt.IsZero() && !at.Before(of.reconcileAt) {
		return
	}
	of.reconcileAt = at
	if !at.After(now) {
		c.reconcile(key, of)
		return
	}
	c.options.Clock.AfterFunc(at.Sub(now), func() { go c.reconcileDue(key) })
}

// reconcileDue has the rule reconciled if it is time.
func (c *Clusters) reconcileDue(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of := c.reports[key]; of != nil && !of.reconcileAt.IsZero() && !c.options.Clock.Now().Before(of.reconcileAt) {
		c.reconcile(key, of)
	}
}

// reconcile has the rule reconciled. The lock is held.
func (c *Clusters) reconcile(key types.NamespacedName, of *reports) {
	rule, changed := watch.RuleKey{Kind: v1.KindClusterProjection, NamespacedName: key}, of.changed
	of.reconcileAt, of.changed = time.Time{}, time.Time{}
	of.notBefore = c.options.Clock.Now().Add(time.Duration(of.clusters) * pauseTime)
	if changed.IsZero() {
		c.rules.Requeue(rule)
	} else {
		c.rules.Enqueue(rule, watch.RuleChanged, changed)
	}
}

// clusterChanged has a rule reconciled, since one of its clusters has changed.
func (c *Clusters) clusterChanged(key types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := c.reports[key]
	if of == nil { // no cluster was used for the rule yet
		c.rules.Enqueue(watch.RuleKey{Kind: v1.KindClusterProjection, NamespacedName: key}, watch.RuleChanged, c.options.Clock.Now())
		return
	}
	if of.changed.IsZero() {
		of.changed = c.options.Clock.Now()
	}
	c.reconcileAfter(key, of, 0)
}

// isReported reports whether reports of the rule are kept: those of a rule that is gone would stay, since it was forgotten before. The lock is held.
func (c *Clusters) isReported(of rule) bool {
	if c.reports[client.ObjectKeyFromObject(of)] != nil {
		return true
	}
	found := &v1.ClusterProjection{}
	return c.options.Client.Get(c.ctx, client.ObjectKeyFromObject(of), found, &client.GetOptions{UnsafeDisableDeepCopy: new(true)}) == nil
}

// restore sets the status of the rule to what the branch has reported last. Before it has reported, what the status of the rule says of all clusters may
// hold for this one.
func (c *Clusters) restore(of rule, cluster string) {
	report, found := c.Reported(client.ObjectKeyFromObject(of), cluster)
	if found && report.Rule == of.UID {
		of.Status = *report.Status.Status.DeepCopy()
		return
	}
	known := of.Status.CommonStatus
	of.Status = v1.ClusterProjectionStatus{CommonStatus: v1.CommonStatus{
		DestinationName: known.DestinationName, DestinationNames: known.DestinationNames, AppliedFields: known.AppliedFields,
	}}
}
