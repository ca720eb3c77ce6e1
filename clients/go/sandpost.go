// Package sandpost reads Sandpost mail in tests. It is one file for Go 1.23 or newer, without dependencies.
//
//	inbox := sandpost.New(t).Inbox("signup") // a unique address: signup-3f9a2c71d0@sandpost.test
//	// the application sends an email to inbox.Address
//	mail := inbox.Wait(sandpost.Conditions{Subject: "Welcome"}) // exactly one email, or the test fails and lists others
//	mail.Code()         // "493817"
//	mail.Link("verify") // "https://shop.example/verify?t=1"
//
// Set SANDPOST_URL to the server's address (default: http://localhost:8080), and SANDPOST_API_KEY to an API key. Addresses belong to
// SANDPOST_DOMAIN, or else to the domain of the key's catch-all or capture account.
package sandpost

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

// Version is the version of this client and of the server that provided it.
const Version = "@VERSION@"

// longestWait is the longest wait of one request, in seconds. Proxies commonly end a request after 60 s.
const longestWait = 50

// Maximum number of emails that a call checks, and that an error lists.
const mostMails, mostListed = 200, 20

// patience is the time for which the client repeats a request to a busy server: twice the minute of its limit. It is less for a server
// that has not responded yet, since its address may be wrong.
const patience, firstPatience = 120 * time.Second, 2 * time.Second

// T is a test, such as a *testing.T. It fails if an email is missing or not as expected. Fatal does not return.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Sandpost is a server, accessed with one key.
type Sandpost struct {
	URL, Key, Domain string
	t                T
}

// shared is the state that all clients of a server share: the domain of addresses, and whether the server has responded.
type shared struct {
	finding sync.Mutex
	domain  string
	known   atomic.Bool
}

var servers sync.Map

func (s *Sandpost) shared() *shared {
	one, _ := servers.LoadOrStore([3]string{s.URL, s.Key, s.Domain}, &shared{})
	return one.(*shared)
}

// New returns the server from the environment variables, for one test.
func New(t T) *Sandpost {
	address := strings.TrimRight(cmp.Or(os.Getenv("SANDPOST_URL"), "http://localhost:8080"), "/")
	return &Sandpost{address, os.Getenv("SANDPOST_API_KEY"), os.Getenv("SANDPOST_DOMAIN"), t}
}

// Inbox is a test's address. It contains the mail that arrived after the inbox was created.
type Inbox struct {
	Address string
	server  *Sandpost
	since   int
}

// Inbox generates an unguessable address that begins with the name. It changes nothing on the server.
func (s *Sandpost) Inbox(name string) *Inbox {
	s.t.Helper()
	readable := regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(name), "-")
	readable = cmp.Or(strings.Trim(readable[:min(40, len(readable))], "-"), "test")
	var list struct{ Cursor int }
	s.json("/api/messages", url.Values{"limit": {"1"}}, &list)
	random := make([]byte, 5)
	rand.Read(random)
	return &Inbox{fmt.Sprintf("%s-%x@%s", readable, random, s.domain()), s, list.Cursor}
}

func (s *Sandpost) domain() string {
	s.t.Helper()
	shared := s.shared()
	shared.finding.Lock()
	defer shared.finding.Unlock()
	if shared.domain == "" {
		shared.domain = s.findDomain()
	}
	return shared.domain
}

// Conditions are conditions that an email must all meet. A string matches a part of the value, ignoring case. A pattern matches a part,
// too. Q is a search query. Trace is the trace id in traceparent. After is an earlier email. Within is the time to wait. Its default is
// 3 seconds for None, and otherwise 30. Settle is the time after that in which no more mail may arrive.
type Conditions struct {
	Subject, From, Text, Q, Trace            string
	SubjectMatches, FromMatches, TextMatches *regexp.Regexp
	After                                    *Mail
	Within, Settle                           time.Duration
	Count                                    int
}

// Wait waits for the one email that meets all conditions. The test fails if none or several arrive in time. To detect a second email
// that arrives later, set Settle.
func (i *Inbox) Wait(wanted Conditions) *Mail {
	i.server.t.Helper()
	if wanted.Count != 0 {
		i.server.fail("Wait does not accept Count: use Mails.")
	}
	wanted.Count = 1
	return i.server.mail(i.waitFor(wanted)[0])
}

// Mails returns the emails that meet all conditions, newest first. With a Count, it waits for exactly that many, and the test fails if
// fewer or more arrive. The test fails if more than 200 match.
func (i *Inbox) Mails(wanted Conditions) (mails []*Mail) {
	i.server.t.Helper()
	var matching []fields
	switch {
	case wanted.Count < 0 || wanted.Count > mostMails:
		i.server.fail("The option count must be a number from 1 to %d, not %d.", mostMails, wanted.Count)
	case wanted.Count > 0:
		matching = i.waitFor(wanted)
	case wanted.Within != 0 || wanted.Settle != 0:
		i.server.fail("mails accepts within and settle only with count.")
	default:
		found := i.look(wanted, i.since, 1, 0, false)
		i.requireAll(wanted, len(found.matching), found.total)
		matching = found.matching
	}
	for _, one := range matching {
		mails = append(mails, i.server.mail(one))
	}
	return mails
}

// None waits. The test fails as soon as an email meets all conditions.
func (i *Inbox) None(wanted Conditions) {
	i.server.t.Helper()
	if wanted.Count != 0 || wanted.Settle != 0 {
		i.server.fail("None does not accept Count or Settle.")
	}
	if found := i.look(wanted, i.since, 1, cmp.Or(wanted.Within, 3*time.Second), false); found.total > 0 {
		i.server.fail("Mail to %s%s arrived, but none was expected:%s", i.Address, wanted, lines(found.matching, found.total))
	}
}

func (i *Inbox) waitFor(wanted Conditions) []fields {
	i.server.t.Helper()
	within := cmp.Or(wanted.Within, 30*time.Second)
	found := i.look(wanted, i.since, wanted.Count, within, true)
	if found.total == wanted.Count && wanted.Settle > 0 {
		later := i.look(wanted, found.cursor, 1, wanted.Settle, false)
		found.matching = append(later.matching, found.matching...)
		found.total += later.total
	}
	were, mails := "one was", "1 email"
	if wanted.Count > 1 {
		were = fmt.Sprintf("%d were", wanted.Count)
	}
	if found.total > 1 {
		mails = fmt.Sprintf("%d emails", found.total)
	}
	listed := lines(found.matching, found.total)
	switch {
	case found.total > wanted.Count:
		i.server.fail("%s to %s%s arrived, but %s expected:%s", mails, i.Address, wanted, were, listed)
	case found.total == 0:
		i.server.fail("No mail to %s%s arrived within %g s.%s", i.Address, wanted, within.Seconds(), found.others)
	case found.total < wanted.Count:
		i.server.fail("%s to %s%s arrived within %g s, but %s expected:%s", mails, i.Address, wanted, within.Seconds(), were, listed)
	}
	return found.matching
}

// found contains the matching emails, newest first, their number, the cursor after them, and a sentence about what arrived instead.
type found struct {
	matching      []fields
	total, cursor int
	others        string
}

// list is a page of emails in the server's response.
type list struct {
	Items      []fields
	Message    *fields
	Pagination struct{ Total int }
	NearMisses []miss `json:"near_misses"`
	Cursor     int
}

// look waits until enough emails match that arrived after a cursor, or time runs out.
func (i *Inbox) look(wanted Conditions, since, count int, within time.Duration, explain bool) found {
	i.server.t.Helper()
	query := wanted.query()
	query.Set("address", i.Address)
	query.Set("limit", strconv.Itoa(mostMails))
	query.Set("include", "message")
	if explain {
		query.Set("explain", "1")
	}
	ask := func(since, count int, end *time.Time) (answer list) {
		i.server.t.Helper()
		query.Set("since", strconv.Itoa(since))
		query.Set("count", strconv.Itoa(count))
		i.server.list(query, end, &answer)
		return answer
	}
	result, unlike := found{cursor: since}, []miss{}
	for end, round := time.Now().Add(within), 1; ; round++ {
		answer := ask(result.cursor, count-result.total, &end)
		items, total := answer.Items, answer.Pagination.Total
		if answer.Message != nil {
			items = []fields{*answer.Message}
		}
		if wanted.hasPatterns() {
			i.requireAll(wanted, len(items), total)
			var matching []fields
			var failing []miss
			for _, item := range items {
				mail := i.server.mail(item)
				if failed := wanted.failed(mail); len(failed) > 0 {
					failing = append(failing, miss{mail.ID, mail.Subject, i.Address, failed, ""})
				} else {
					matching = append(matching, mail.fields)
				}
			}
			items, total, unlike = matching, len(matching), append(failing, unlike...)
		}
		result.matching = append(items, result.matching...)
		result.total += total
		result.cursor = answer.Cursor
		if result.total < count && time.Now().Before(end) {
			continue
		}
		if explain && result.total == 0 {
			if round > 1 {
				// Near misses come from the last request, which began after the earlier emails.
				now := time.Now()
				answer = ask(since, mostMails, &now)
			}
			// A server that is too busy to search for near misses does not say that there are none.
			if unlike = append(unlike, answer.NearMisses...); len(unlike) > 0 {
				result.others = " Arrived instead:"
			} else if answer.NearMisses != nil {
				result.others = " No similar mail arrived."
			}
			for _, one := range unlike[:min(mostListed, len(unlike))] {
				result.others += one.line()
			}
		}
		return result
	}
}

// requireAll fails if the server has more emails than it returned: the others might match differently.
func (i *Inbox) requireAll(wanted Conditions, looked, total int) {
	i.server.t.Helper()
	if total > looked {
		i.server.fail("%d emails to %s%s arrived, but a call checks at most %d: add a string condition.", total, i.Address, wanted, mostMails)
	}
}

// condition is a string, which the server finds, and a pattern, which the client finds.
type condition struct {
	name, text string
	pattern    *regexp.Regexp
}

func (c Conditions) all() []condition {
	return []condition{
		{"subject", c.Subject, c.SubjectMatches},
		{"from", c.From, c.FromMatches},
		{"text", c.Text, c.TextMatches},
		{"q", c.Q, nil},
		{"trace", c.Trace, nil},
	}
}

// query returns the query parameters for the server.
func (c Conditions) query() url.Values {
	query := url.Values{}
	for _, one := range c.all() {
		if one.text != "" {
			query.Set(one.name, one.text)
		}
	}
	if c.After != nil {
		query.Set("after", strconv.Itoa(c.After.ID))
	}
	return query
}

func (c Conditions) hasPatterns() bool {
	return c.SubjectMatches != nil || c.FromMatches != nil || c.TextMatches != nil
}

// failed returns the names of the patterns that an email does not match.
func (c Conditions) failed(mail *Mail) (names []string) {
	for _, one := range c.all() {
		if one.pattern != nil && !one.pattern.MatchString(mail.searched(one.name)) {
			names = append(names, one.name)
		}
	}
	return names
}

// String returns the conditions in words.
func (c Conditions) String() string {
	var said []string
	for _, one := range c.all() {
		if one.text != "" {
			said = append(said, fmt.Sprintf(`%s "%s"`, one.name, one.text))
		}
		if one.pattern != nil {
			said = append(said, fmt.Sprintf("%s /%s/", one.name, one.pattern))
		}
	}
	if c.After != nil {
		said = append(said, fmt.Sprintf("after email %d", c.After.ID))
	}
	if len(said) == 0 {
		return ""
	}
	return " with " + strings.Join(said, ", ")
}

// Mail is an email. JSON is the response of GET /api/messages/{id}.
type Mail struct {
	ID      int
	Subject string
	JSON    []byte
	server  *Sandpost
	fields  fields
}

// fields contains an email's fields. An email from a list has no codes.
type fields struct {
	ID            int
	Subject       string
	FromName      string `json:"from_name"`
	FromAddress   string `json:"from_address"`
	MainLink      string `json:"main_link"`
	Text, HTML    *string
	HTMLText      *string `json:"html_text"`
	TextTruncated bool    `json:"text_truncated"`
	HTMLTruncated bool    `json:"html_truncated"`
	AddsTruncated bool    `json:"html_text_truncated"`
	Codes         *[]struct{ Value string }
	Links         []struct{ URL, Text, Kind string }
	Attachments   []struct {
		ID       int
		Filename string
	}
	json []byte
}

func (f *fields) UnmarshalJSON(text []byte) error {
	type plain fields
	f.json = slices.Clone(text)
	return json.Unmarshal(text, (*plain)(f))
}

// mail returns an email from a list. It reads the full email if the list item is incomplete.
func (s *Sandpost) mail(given fields) *Mail {
	s.t.Helper()
	if given.Codes == nil {
		s.json(fmt.Sprintf("/api/messages/%d", given.ID), nil, &given)
	}
	return &Mail{given.ID, given.Subject, given.json, s, given}
}

// Code returns the one-time code. The test fails if the email has none or several.
func (m *Mail) Code() string {
	m.server.t.Helper()
	var values []string
	for _, code := range *m.fields.Codes {
		if !slices.Contains(values, code.Value) {
			values = append(values, code.Value)
		}
	}
	return m.one("code", values, nil)
}

// Link returns the link of a kind: verify, reset, login, invite, unsubscribe or other. Without a kind, it returns the email's main link.
// If several links have this kind, it returns the main link, or else the only link with its own text. The test fails if there is no such
// link, or if several remain.
func (m *Mail) Link(kind string) string {
	m.server.t.Helper()
	var urls, labelled, there []string
	for _, link := range m.fields.Links {
		there = append(there, link.Kind+" "+link.URL)
		if link.Kind == kind {
			urls = append(urls, link.URL)
			if link.Text != "" {
				labelled = append(labelled, link.URL)
			}
		}
	}
	if kind != "" {
		if slices.Contains(labelled, m.fields.MainLink) {
			labelled = []string{m.fields.MainLink}
		}
		if len(labelled) > 0 {
			urls = labelled
		}
		return m.one("link of kind "+kind, urls, there)
	}
	if m.fields.MainLink != "" {
		return m.fields.MainLink
	}
	return m.one("main link", nil, there)
}

// Attachment returns the content of the attachment whose name matches a pattern such as "*.pdf", ignoring case. * matches any characters,
// and ? matches one. The test fails if no attachment matches, or several do.
func (m *Mail) Attachment(pattern string) []byte {
	m.server.t.Helper()
	var like, there []string
	var id int
	expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	names := regexp.MustCompile("(?is)^" + expression + "$")
	for _, file := range m.fields.Attachments {
		there = append(there, file.Filename)
		if names.MatchString(file.Filename) {
			like, id = append(like, file.Filename), file.ID
		}
	}
	m.one("attachment "+pattern, like, there)
	return m.server.bytes(fmt.Sprintf("/api/messages/%d/attachments/%d", m.ID, id), nil)
}

// HTML returns the HTML source. The test fails if there is none, or more than 1 MiB.
func (m *Mail) HTML() string {
	m.server.t.Helper()
	return m.whole("HTML", m.fields.HTML, m.fields.HTMLTruncated)
}

// Text returns what a reader sees: the text, then the lines that the HTML adds. The test fails if there is none, or more than 1 MiB.
func (m *Mail) Text() string {
	m.server.t.Helper()
	if m.fields.Text == nil {
		return m.whole("text", m.readable(), m.fields.AddsTruncated)
	}
	return m.whole("text", m.readable(), m.fields.TextTruncated)
}

// readable returns the text, then the lines that the HTML adds, or nil if the email has neither.
func (m *Mail) readable() *string {
	text, added := m.fields.Text, m.fields.HTMLText
	if added == nil {
		return text
	}
	if text == nil || strings.TrimSpace(*text) == "" {
		return added
	}
	both := strings.TrimRightFunc(*text, unicode.IsSpace) + "\n\n" + *added
	return &both
}

// Raw returns the email's bytes, as received.
func (m *Mail) Raw() []byte {
	m.server.t.Helper()
	return m.server.bytes(fmt.Sprintf("/api/messages/%d/raw", m.ID), nil)
}

func (m *Mail) whole(title string, text *string, truncated bool) string {
	m.server.t.Helper()
	if text == nil {
		m.server.fail("%s has no %s.", m, title)
	}
	if truncated {
		m.server.fail("%s has more %s than a response can contain: read the raw email instead.", m, title)
	}
	return *text
}

// one returns the only value. The test fails if there are none or several, and lists them.
func (m *Mail) one(what string, values, there []string) string {
	m.server.t.Helper()
	if len(values) > 1 {
		m.server.fail("%s has more than one %s: %s", m, what, strings.Join(values, ", "))
	}
	if len(values) == 0 {
		has := ""
		if len(there) > 0 {
			has = " It has: " + strings.Join(there, ", ")
		}
		m.server.fail("%s has no %s.%s", m, what, has)
	}
	return values[0]
}

func (m *Mail) String() string {
	return fmt.Sprintf(`Email %d "%s"`, m.ID, m.Subject)
}

// searched returns the text that a condition's pattern searches.
func (m *Mail) searched(name string) string {
	switch {
	case name == "subject":
		return m.Subject
	case name == "from":
		return m.fields.FromName + " " + m.fields.FromAddress
	}
	if text := m.readable(); text != nil {
		return *text
	}
	return ""
}

// miss is an email that arrived instead, with the conditions that it failed, or a refusal, which has a reply.
type miss struct {
	ID          int
	Subject, To string
	Failed      []string
	Reply       string
}

func (m miss) line() string {
	if m.Reply != "" {
		return fmt.Sprintf("\n  refused%s: %s", strings.TrimSuffix(" for "+m.To, " for "), m.Reply)
	}
	return fmt.Sprintf("\n  email %d \"%s\" to %s (differs in %s)", m.ID, m.Subject, m.To, strings.Join(m.Failed, ", "))
}

func lines(mails []fields, total int) (text string) {
	listed := mails[:min(mostListed, len(mails))]
	for _, mail := range listed {
		text += fmt.Sprintf("\n  email %d \"%s\"", mail.ID, mail.Subject)
	}
	if total > len(listed) {
		text += fmt.Sprintf("\n  and %d more", total-len(listed))
	}
	return text
}

// findDomain returns the domain of a catch-all account, or else of the capture account. It returns the given domain if one of these
// accounts receives its mail. It checks the oldest 200 accounts.
func (s *Sandpost) findDomain() string {
	s.t.Helper()
	var list struct {
		Items []struct {
			Address    string
			IsCatchAll bool `json:"is_catch_all"`
			IsCapture  bool `json:"is_capture"`
		}
		Pagination struct{ Total int }
	}
	s.json("/api/accounts", url.Values{"limit": {"200"}, "is_active": {"true"}}, &list)
	var domains, catchAlls, captures []string
	for _, account := range list.Items {
		domain := account.Address[strings.LastIndex(account.Address, "@")+1:]
		domains = append(domains, domain)
		if account.IsCatchAll {
			catchAlls = append(catchAlls, domain)
		}
		if account.IsCapture {
			captures = append(captures, domain)
		}
	}
	if usable := append(catchAlls, captures...); s.Domain == "" && len(usable) > 0 {
		return usable[0]
	}
	// Accounts use a domain's ASCII form.
	isForeign := strings.ContainsFunc(s.Domain, func(one rune) bool { return one > 127 })
	isTaken := len(captures) > 0 || slices.Contains(catchAlls, strings.ToLower(s.Domain))
	if s.Domain != "" && (isTaken || isForeign || list.Pagination.Total > len(list.Items)) {
		return s.Domain
	}
	domain := cmp.Or(s.Domain, append(domains, "app.test")[0])
	place, makeDomain, way := "", "", ""
	if s.Domain != "" {
		place = " on " + domain
	} else {
		way = ", or set SANDPOST_DOMAIN"
	}
	if !slices.Contains(domains, domain) {
		makeDomain = fmt.Sprintf(`POST /api/domains {"domain": "%s"} and `, domain)
	}
	s.fail(`No account at %s receives mail for any address%s: create one with %sPOST /api/accounts {"address": "*@%s"}%s.`, s.URL, place, makeDomain, domain, way)
	return ""
}

// json reads a response into a value.
func (s *Sandpost) json(path string, query url.Values, into any) {
	s.t.Helper()
	s.parse(s.bytes(path, query), into)
}

func (s *Sandpost) parse(answer []byte, into any) {
	s.t.Helper()
	if json.Unmarshal(answer, into) != nil {
		s.fail("%s is not a Sandpost server: it did not return JSON.", s.URL)
	}
}

func (s *Sandpost) bytes(path string, query url.Values) []byte {
	s.t.Helper()
	end := time.Now().Add(patience)
	return s.repeat(&end, false, func(time.Duration, bool) (*http.Response, []byte, error) { return s.get(path, query, 0) })
}

// list reads a list of emails as soon as it has as many as count, or at the deadline.
func (s *Sandpost) list(query url.Values, end *time.Time, into *list) {
	s.t.Helper()
	s.parse(s.repeat(end, true, func(left time.Duration, isLast bool) (*http.Response, []byte, error) {
		asked := url.Values{}
		for name, values := range query {
			asked[name] = values
		}
		wait := int(min(longestWait, max(0, math.Ceil(left.Seconds()))))
		if isLast {
			// The last check does not wait: the server always has time for it.
			asked.Del("count")
			asked.Del("explain")
			wait = 0
		} else {
			asked.Set("wait", strconv.Itoa(wait))
		}
		return s.get("/api/messages", asked, wait)
	}), into)
}

// repeat sends a request until the server responds. It repeats the request if the server is busy (429, 503) or the connection is lost,
// until the deadline. A wait then checks once more, and reports the refusal if the server refuses that check, too.
func (s *Sandpost) repeat(end *time.Time, isWait bool, get func(left time.Duration, isLast bool) (*http.Response, []byte, error)) []byte {
	s.t.Helper()
	known := &s.shared().known
	begun := time.Now()
	for isLast := false; ; {
		answer, body, err := get(time.Until(*end), isLast)
		pause := 500 * time.Millisecond
		if err != nil {
			if !known.Load() && begun.Add(firstPatience).Before(*end) {
				*end = begun.Add(firstPatience)
			}
			if isLast || pause > time.Until(*end) {
				s.lost(err, time.Since(begun))
			}
		} else {
			known.Store(true)
			if answer.StatusCode == 200 {
				return body
			}
			if answer.StatusCode != 429 && answer.StatusCode != 503 {
				s.refused(answer, body, "returned %[1]d")
			}
			pause = time.Second
			if after, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
				// A response without a pause would cause a storm of requests.
				pause = max(time.Duration(after)*time.Second, 100*time.Millisecond)
			}
			var problem struct{ Code string }
			if json.Unmarshal(body, &problem) == nil && problem.Code == "rate_limited" && end.Before(begun.Add(patience)) {
				// A minute without requests does not count toward a wait.
				*end = end.Add(min(pause, begun.Add(patience).Sub(*end)))
			}
			isOver := pause > time.Until(*end)
			if isLast || isOver && !isWait {
				s.refused(answer, body, fmt.Sprintf("has returned %%[1]d for %.0f s", time.Since(begun).Seconds()))
			}
			isLast = isOver
		}
		time.Sleep(min(pause, time.Until(*end)))
	}
}

func (s *Sandpost) get(path string, query url.Values, wait int) (*http.Response, []byte, error) {
	client := http.Client{Timeout: time.Duration(30+wait) * time.Second, CheckRedirect: stay}
	request, err := http.NewRequest("GET", s.URL+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, nil, err
	}
	if s.Key != "" {
		request.Header.Set("X-API-KEY", s.Key)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer, body, err
}

// stay follows no redirect: another host must not receive the key.
func stay(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}

// lost fails the test because the connection was lost for some time.
func (s *Sandpost) lost(cause error, time time.Duration) {
	s.t.Helper()
	if s.shared().known.Load() {
		s.fail("%s has not responded for %.0f s. %v", s.URL, time.Seconds(), cause)
	}
	advice, address := "set SANDPOST_URL to its address", strings.ToLower(s.URL)
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		advice = "begin the address with http:// or https://"
	}
	s.fail("No Sandpost server answers at %s: %s. %v", s.URL, advice, cause)
}

// refused fails the test because of an error response. said has a place for its status.
func (s *Sandpost) refused(answer *http.Response, body []byte, said string) {
	s.t.Helper()
	var problem struct{ Detail string }
	version, ages := cmp.Or(answer.Header.Get("Sandpost-Version"), "older"), ""
	if version != Version {
		ages = fmt.Sprintf(" Server version: %s. Client version: %s.", version, Version)
	}
	switch {
	case answer.StatusCode == 401 && s.Key != "":
		s.fail("SANDPOST_API_KEY is not a valid key for %s.", s.URL)
	case answer.StatusCode == 401:
		s.fail("%s needs an API key: set SANDPOST_API_KEY.", s.URL)
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		s.fail("%s redirects to another address: set SANDPOST_URL to that address.", s.URL)
	case json.Unmarshal(body, &problem) != nil || problem.Detail == "":
		s.fail("%s is not a Sandpost server: it did not return JSON.", s.URL)
	}
	s.fail("%s %s: %s.%s", s.URL, fmt.Sprintf(said, answer.StatusCode), problem.Detail, ages)
}

func (s *Sandpost) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatal(fmt.Sprintf(format, args...))
}
