package ui

import (
	"embed"
	"html/template"
	"net/http"
	"path"
)

// assets has the files of others, which assets/SHA256SUMS lists, and the style of the pages.
//
//go:embed assets
var assets embed.FS

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// served are the assets that a page asks for.
var served = []string{"htmx.min.js", "sse.min.js", "idiomorph-ext.min.js", "page.js", "style.css", "icon.svg"}

// types are those of assets, by how their names end. A browser takes no other for them.
var types = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

// serveAsset serves a file that is the same for everybody. It holds nothing of the cluster.
func serveAsset(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", types[path.Ext(name)])
		http.ServeFileFS(w, r, assets, "assets/"+name)
	}
}
