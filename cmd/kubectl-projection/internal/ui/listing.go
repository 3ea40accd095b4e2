package ui

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	// rowsOnPage is how many rows of a listing a page shows, and tilesOnPage how many tiles.
	rowsOnPage  = 100
	tilesOnPage = 200
)

// asked is the part of a listing that the reader asks for.
type asked struct {
	search, group string
	page          int
}

func askedIn(values url.Values) asked {
	if page, group, isPart := strings.Cut(values.Get("at"), " "); isPart { // a button sends one value
		values = url.Values{"page": {page}, "group": {group}}
	}
	page, err := strconv.Atoi(values.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	return asked{strings.TrimSpace(values.Get("q")), values.Get("group"), page}
}

// query returns the address of another part of the page.
func (a asked) query(group string, page int) string {
	values := url.Values{}
	if a.search != "" {
		values.Set("q", a.search)
	}
	if group != "" {
		values.Set("group", group)
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return "?" + values.Encode()
}

// part is what a page shows of a listing.
type part struct {
	*Listing

	Search string
	Group  string
	Groups []group
	Shown  []Row
	// Picture shows all rows that match; nil: there is none.
	Picture *picture
	// From and To number the rows that are shown, of Of.
	From, To, Of int
	// Before and After are the addresses of the pages around this one; empty: there is none.
	Before, After string
	// InForm reports whether the listing belongs to the form of the page, which the controls send.
	InForm             bool
	PageBefore, PageOf int
	PageAfter          int
}

// group is a group of rows. An empty name stands for all rows.
type group struct {
	Name      string
	Tone      Tone
	Count     int
	Link      string
	IsPresent bool
}

// IsTiles reports whether the rows are tiles.
func (p *part) IsTiles() bool { return len(p.Columns) == 0 }

// At returns what a button sends that leads to another page of the group.
func (p *part) At(page int) string { return strconv.Itoa(page) + " " + p.Group }

// few is how many rows of one group are shown without a search.
const few = 5

// HasControls reports whether there is something to choose from: besides all rows, there are groups.
func (p *part) HasControls() bool {
	return len(p.Groups) > 2 || p.Of > few || p.Search != "" || p.Group != ""
}

// partOf returns the part of the listing that is asked for.
func partOf(listing *Listing, want asked) *part {
	found := &part{Listing: listing, Search: want.search, Group: want.group}
	matching := slices.DeleteFunc(slices.Clone(listing.Rows), func(row Row) bool { return !row.contains(want.search) })
	found.Groups = groupsOf(matching, want)
	if want.group != "" {
		matching = slices.DeleteFunc(matching, func(row Row) bool { return row.Group != want.group })
	}
	found.Picture = pictureOf(listing.Flow, matching)
	size := rowsOnPage
	if found.IsTiles() {
		size = tilesOnPage
	}
	found.Of, found.PageOf = len(matching), max((len(matching)+size-1)/size, 1)
	page := min(want.page, found.PageOf)
	from := (page - 1) * size
	found.Shown = matching[from:min(from+size, len(matching))]
	found.From, found.To = from+1, from+len(found.Shown)
	if page > 1 {
		found.Before, found.PageBefore = want.query(want.group, page-1), page-1
	}
	if page < found.PageOf {
		found.After, found.PageAfter = want.query(want.group, page+1), page+1
	}
	return found
}

func (r Row) contains(text string) bool {
	text = strings.ToLower(text)
	return text == "" || slices.ContainsFunc(r.Cells, func(cell Cell) bool { return strings.Contains(strings.ToLower(cell.Text), text) })
}

// groupsOf returns the groups of the rows, and one that has them all.
func groupsOf(rows []Row, want asked) []group {
	groups := []group{{Count: len(rows), Link: want.query("", 1), IsPresent: want.group == ""}}
	at := map[string]int{}
	for _, row := range rows {
		if row.Group == "" {
			continue
		}
		i, isKnown := at[row.Group]
		if !isKnown {
			i = len(groups)
			at[row.Group] = i
			groups = append(groups, group{Name: row.Group, Tone: row.Tone, Link: want.query(row.Group, 1), IsPresent: row.Group == want.group})
		}
		groups[i].Count++
	}
	return groups
}
