// Package primitives is a kit for operators: Kubernetes objects as desired baselines with named, gated mutations, and
// components that apply them in order and report one condition.
//
// It offers the API of github.com/sourcehawk/operator-component-framework, with the same names, signatures, texts and
// ordering, so that an author who knows that framework is at home and a later switch is a change of import paths:
//
//	primitives/feature       pkg/feature
//	primitives/concepts      pkg/component/concepts
//	primitives/editors       pkg/mutation/editors
//	primitives/selectors     pkg/mutation/selectors
//	primitives/generic       pkg/generic
//	primitives               pkg/primitives
//	primitives/<kind>        pkg/primitives/<kind>
//	primitives/unstructured  pkg/primitives/unstructured
//	primitives/component     pkg/component
//	primitives/recording     pkg/recording
//	primitives/metrics       pkg/metrics
//	primitives/golden        pkg/testing/golden
//	primitives/goldengen     pkg/testing/goldengen
//
// The kinds are, by category:
//
//	workload     deployment, statefulset, replicaset, daemonset, pod
//	task         job
//	integration  service, ingress, cronjob, hpa, pvc, pv
//	static       configmap, secret, serviceaccount, networkpolicy, pdb, role, clusterrole, rolebinding, clusterrolebinding
//
// # What is not here
//
// The command-line tool.
//
// # What is more
//
//   - feature.NewConstraint and feature.MustConstraint: version constraints in the syntax of semver. Gates that combine others
//     (All, Any, Not), and gates for a range of versions and for two sides of one (Between, Split).
//   - golden.CompareBytes, and goldengen.Generator.ByOutput: regimes are told apart by what they render.
//   - Component.Converge and Component.Stage, which together are Reconcile: components of one owner can converge at the
//     same time.
//   - ReconcileContext.Applier and component.BlockedError: another way to write objects.
//   - Builder.WithFieldManager: a field manager that does not depend on the uid of the owner.
//   - Component.Finalize and component.Sweep: objects that the garbage collector leaves behind, and those that are no longer in
//     the code.
//   - Options of resources: OnlyIfOwned, ExpectUID, ExpectAbsent, SuspendWhen, OmitFields, RecreateOnImmutable;
//     Builder.SuspendReason; and component.NewForcedApplier, for reads that keep no cache.
//   - generic.ReadyCondition: statuses of a custom kind, from a condition of the object.
//   - deployment.FailureAwareConvergingStatusHandler: Failing for a rollout that makes no progress.
//   - LiftMutation in replicaset, job and cronjob.
//   - Editors for what containers and pods lack: image, command, flags, ports, mounts, probes, affinity, spread; and for
//     labels and annotations in bulk.
//
// # Where it differs
//
//   - The suspension mutation runs on a mutator of its own, so edits that append are not carried out twice.
//   - An object is orphaned by a patch of its owner references, not by an update, which would drop fields unknown to a
//     Go type.
//   - Every deletion carries the uid and resourceVersion of the object that was read before, not only that of an object
//     which may be another controller's.
//   - Dependents of a deleted object are always deleted in the background; by default, those of a Job would be orphaned.
//   - Each extraction of data gets a copy of the object of its own.
//   - Editors copy what they are given, so that mutations can share values. A list or map that becomes empty becomes nil.
//   - ConfigMapDataEditor.MergeYAML keeps integers of 64 bits, and refuses more than one document.
//   - A workload is healthy if and only if it is healthy by grace. A Pod without container statuses is not healthy; one that
//     has succeeded is.
//   - A workload is Suspended only once its controller has seen the suspended spec and no pod is being terminated. With
//     minReadySeconds, pods have to be available to be healthy.
//   - An init container of a Pod with restartPolicy: Always has to be ready, too.
//   - The handler that decides whether a suspended object is deleted is asked again once the suspended form was applied, with the
//     object as it was returned.
//   - The rules of a ClusterRole with an aggregation rule are not sent.
//   - Finalizers of objects without a Go type that EditObjectMetadata sets through Raw are written back.
//   - UnstructuredContentEditor returns an error for values that JSON does not know, instead of a panic.
//   - A resource that reports an empty status is Unknown, not healthy.
//   - While a component is suspended, only the resources that were applied in their suspended form extract data. An
//     object that is not the owner's to suspend is PendingSuspension.
//   - The condition of a component is True for Suspended, and False for Suspending and PendingSuspension.
//   - Messages of conditions are cut to what the API server accepts, and then end with their size.
//   - When a grace period is over, a resource that has converged counts as healthy; its grace handler is not asked.
//   - The gauge of conditions is metrics.OperatorConditionsGauge instead of a type of another module. Recorders written for
//     that module take component.ConditionObject instead of its ObjectLike, with the same two methods.
//   - An apply that an Applier answers with a BlockedError counts neither as an apply nor as an error.
//   - goldengen lists all fixtures in the manifest, whichever subtests run, and registers the mutations of all versions. A
//     mismatch shows a diff. A golden file that belongs to no regime is reported, and removed by an update. A spec that is
//     among the golden files is refused.
//   - golden leaves out a status that holds nothing but empty maps.
//   - Events go through k8s.io/client-go/tools/events. Without a recorder there are none.
package primitives
