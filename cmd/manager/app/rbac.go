package app

// Rights that nothing but the whole manager needs. The components ask for those on their own kinds.

// Sources are read and watched, copies are created and changed by server-side apply, and deleted. Which kinds these are is
// up to the rules; the chart's supportedKinds narrows it.
// +kubebuilder:rbac:groups=*,resources=*,verbs=get;list;watch;create;patch;delete

// Events, which repeat as series.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// The election, and the event that tells its outcome.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;get;update,namespace=system
// +kubebuilder:rbac:groups="",resources=events,verbs=create,namespace=system

// Who may read the metrics is for the API server to say.
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create
