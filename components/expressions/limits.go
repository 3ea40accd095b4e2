package expressions

import "time"

const (
	// costOfSource is what all expressions of a rule together may cost that do not name the target: they are evaluated once for all copies. It
	// is the limit that the API server has for one expression.
	costOfSource = 1_000_000
	// costOfTarget is what all others together may cost for one target.
	costOfTarget = 100_000
	// maxValue is how many bytes of JSON the value of an expression may have.
	maxValue = 64 << 10
	// maxValues is how many bytes of JSON all values of a copy may have.
	maxValues = 256 << 10
	// maxDepth is how deep a value may be nested.
	maxDepth = 64
	// maxTime is how long the expressions of a source, or of a target, may take together. What they may cost takes less on a machine that is
	// not busy.
	maxTime = 2 * time.Second
	// maxTimeOfReconcile is how long all expressions of a reconcile may take together. The next one has the same time for the other targets.
	maxTimeOfReconcile = time.Minute
	// maxText is how many bytes the text of an expression may have.
	maxText = 1024
	// maxNodes is how many parts an expression may have when its macros are expanded.
	maxNodes = 1000
	// maxLoops is how many loops an expression may have.
	maxLoops = 3
	// maxCollections is how many literals of lists and maps an expression may have, and how many indexes.
	maxCollections = 100
	// maxNesting is how deep lists, maps and optional values may be nested that an expression makes.
	maxNesting = 15
	// maxPattern is how many bytes a regular expression may have.
	maxPattern = 256
	// maxSteps is to how many instructions a regular expression may be compiled.
	maxSteps = 1000
	// maxCompiled is what all compiled expressions that are kept may weigh: about 8 MiB.
	maxCompiled = 50_000
)
