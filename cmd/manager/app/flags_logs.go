package app

import (
	"flag"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// logUsage describes the flags of the logger. Its own texts name levels above the highest one, see limitVerbosity.
var logUsage = map[string]string{
	"zap-log-level":        "What is logged: debug, info (the default), error, or a number from 1 to 7; a higher number logs more.",
	"zap-encoder":          "Format of the log: json (the default) or console.",
	"zap-time-encoding":    "Format of times: epoch (the default), millis, nano, iso8601, rfc3339 or rfc3339nano.",
	"zap-stacktrace-level": "Lowest level at which a stack trace is logged: info, error (the default) or panic.",
	"zap-devel":            "Logs for development: console, debug, stack traces from warnings on.",
}

// bindLogs adds the flags of the logger, with our descriptions.
func bindLogs(logs *zap.Options, flags *flag.FlagSet) {
	logs.BindFlags(flags)
	for name, usage := range logUsage {
		flags.Lookup(name).Usage = usage
	}
}
