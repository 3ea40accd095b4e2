package app

import (
	"go.uber.org/zap/zapcore"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// maxVerbosity is the highest verbosity of the log. At the next, client-go writes down the bodies of requests and answers,
// and with them the content of Secrets.
const maxVerbosity = 7

// limitVerbosity keeps the log at verbosities that hold no content of objects, whatever its flags ask for.
func limitVerbosity(logs *zap.Options) {
	if asked := logs.Level; asked != nil {
		logs.Level = levels(func(level zapcore.Level) bool { return level >= -maxVerbosity && asked.Enabled(level) })
	}
}

// levels tells which levels are logged.
type levels func(zapcore.Level) bool

// Enabled implements zapcore.LevelEnabler.
func (l levels) Enabled(level zapcore.Level) bool { return l(level) }

// withoutWarnings returns a configuration whose clients do not log the warnings that the API server adds to its answers.
// They are for people at a keyboard, and those of an admission policy may quote the object.
func withoutWarnings(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.WarningHandler, config.WarningHandlerWithContext = nil, rest.NoWarnings{}
	return config
}
