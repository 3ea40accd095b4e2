package app

// Rights that nothing but the whole manager needs. The components ask for those on their own kinds.

// Sources are read and watched, copies are created and changed by server-side apply, and deleted. Which kinds these are is
// up to the rules; the chart's supportedKinds narrows it.
// +kubebuilder:rbac:groups=*,resources=*,verbs=get;list;watch;create;patch;delete

// In the names of these service accounts, if rules name them. Others take a role of their own; the chart's impersonation.serviceAccounts
// lists them.
// +kubebuilder:rbac:groups="",resources=serviceaccounts,resourceNames=projection-writer,verbs=impersonate

// Who has the verb own on a rule may write the ownership annotation that names it. The admission policy "ownership" asks for it.
// +kubebuilder:rbac:groups=projection.sh,resources=projections;clusterprojections,verbs=own

// Events, which repeat as series.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// The election, and the event that tells its outcome.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;get;update,namespace=system
// +kubebuilder:rbac:groups="",resources=events,verbs=create,namespace=system

// Who may read the metrics is for the API server to say.
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create
