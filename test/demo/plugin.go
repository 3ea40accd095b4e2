package main

// pluginCommands are commands of the plugin of kubectl that say something about what the demo leaves.
var pluginCommands = []string{
	"kubectl projection tree clusterprojection/registry",
	"kubectl projection why projection/handmade -n tenant-a",
	"kubectl projection doctor",
}

// namePlugin says which commands of the plugin to try, and after what.
func namePlugin(after string) {
	heading("Commands to try")
	say("make install-plugin installs the plugin of kubectl.%s\n", after)
	for _, command := range pluginCommands {
		say("  %s", command)
	}
}
