package editors

// copied is a pointer to a T with a deep copy, as all types of Kubernetes have it.
type copied[T any] interface {
	*T
	DeepCopy() *T
}

// cloneAll copies a list and its elements. Nil stays nil.
func cloneAll[T any, P copied[T]](values []T) []T {
	if values == nil {
		return nil
	}
	clones := make([]T, len(values))
	for i := range values {
		clones[i] = *P(&values[i]).DeepCopy()
	}
	return clones
}
