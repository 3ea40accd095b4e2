package forecast

// elsewhereError says that the source of a rule is in another cluster: what the rule wants depends on what only the operator reads.
type elsewhereError struct{ cluster string }

func (e *elsewhereError) Error() string {
	return "the source is in the cluster " + e.cluster + ", which this command does not read"
}

// verdict returns what is known of a rule without its source.
func (e *elsewhereError) verdict() Verdict {
	verdict := unknown(e.Error())
	verdict.Next = "see what the operator reports of the rule, and of the cluster: kubectl projection clusters " + e.cluster
	return verdict
}
