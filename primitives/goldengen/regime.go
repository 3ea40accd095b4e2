package goldengen

import (
	"slices"
	"strings"
)

// Regime is a group of versions that are tested by one golden file.
type Regime struct {
	// Representative is the first of the versions, which the golden file is made from.
	Representative string
	// Versions are all versions of the regime, in the order of Config.Versions.
	Versions []string
	// Firing are the names of the mutations that fire, sorted.
	Firing []string
}

// ClassifyRegimes groups the versions in which the same mutations fire. The regimes are in the order of their first
// versions.
func ClassifyRegimes(versions []string, firing map[string][]string) []Regime {
	return classify(versions, firing, nil)
}

// classify is ClassifyRegimes, with versions kept apart that are not rendered alike.
func classify(versions []string, firing map[string][]string, rendered map[string][]byte) []Regime {
	regimes := []Regime{}
	index := map[string]int{}
	for _, version := range versions {
		names := slices.Compact(slices.Sorted(slices.Values(firing[version])))
		key := strings.Join(names, "\x00") + "\x00\x00" + string(rendered[version])
		i, found := index[key]
		if !found {
			i = len(regimes)
			index[key] = i
			regimes = append(regimes, Regime{Representative: version, Firing: names})
		}
		regimes[i].Versions = append(regimes[i].Versions, version)
	}
	return regimes
}
