// Package sandpost reads the mail of a Sandpost in tests. One file for Go 1.23 or newer, without dependencies.
//
//	inbox := sandpost.New(t).Inbox("signup") // an address of its own: signup-3f9a2c71d0@sandpost.test
//	// the application writes to inbox.Address
//	mail := inbox.Wait(sandpost.Conditions{Subject: "Welcome"}) // exactly one mail, or the test fails and lists others
//	mail.Code()         // "493817"
//	mail.Link("verify") // "https://shop.example/verify?t=1"
//
// The server is at SANDPOST_URL, or http://localhost:8080. SANDPOST_API_KEY is a key of it. Addresses are of the domain
// SANDPOST_DOMAIN, or of an account of the key that takes mail for any address.
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
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Version of this client, which is that of the server that it came from.
const Version = "@VERSION@"

// longestWait is the longest time of one request that waits, in seconds. Proxies commonly end a request after 60 s.
const longestWait = 50

// mostMails is the number of mails that a wait can be for.
const mostMails = 200

// T is the test that fails where a mail is missing or not as it was wanted: a *testing.T. Fatal does not return.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Sandpost is a server, as the owner of a key sees it.
type Sandpost struct {
	URL, Key, Domain string
	t                T
}

// New returns the server that the environment names, for one test.
func New(t T) *Sandpost {
	address := strings.TrimRight(cmp.Or(os.Getenv("SANDPOST_URL"), "http://localhost:8080"), "/")
	return &Sandpost{address, os.Getenv("SANDPOST_API_KEY"), os.Getenv("SANDPOST_DOMAIN"), t}
}

// Inbox is an address of one test. It sees the mail that came to it since it was made.
type Inbox struct {
	Address string
	server  *Sandpost
	since   int
}

// Inbox makes an address that nobody can guess, which begins with the name. It changes nothing on the server.
func (s *Sandpost) Inbox(name string) *Inbox {
	s.t.Helper()
	readable := regexp.MustCompile("[^a-z0-9]+").ReplaceAllString(strings.ToLower(name), "-")
	readable = cmp.Or(strings.Trim(readable[:min(40, len(readable))], "-"), "test")
	var list struct{ Cursor int }
	s.json("/api/messages", url.Values{"limit": {"1"}}, &list)
	if s.Domain == "" {
		s.Domain = s.findDomain()
	}
	random := make([]byte, 5)
	rand.Read(random)
	return &Inbox{fmt.Sprintf("%s-%x@%s", readable, random, s.Domain), s, list.Cursor}
}

// Conditions on a mail. A text is a part of what the mail has, without regard to case. A pattern is found in it. Q is a query,
// as docs/search.md of the server says. Without Within, Wait takes 30 seconds, and None 3.
type Conditions struct {
	Subject, From, Text, Q                   string
	SubjectMatches, FromMatches, TextMatches *regexp.Regexp
	Within                                   time.Duration
}

// Wait waits for the one mail for which all conditions hold. The test fails if none came in time, or several.
func (i *Inbox) Wait(wanted Conditions) *Mail {
	i.server.t.Helper()
	mails, others := i.look(&wanted, 30*time.Second)
	if len(mails) == 0 {
		instead := "No other mail came near."
		if others != "" {
			instead = "Came instead:" + others
		}
		i.server.fail("No mail to %s%s came within %g s. %s", i.Address, wanted, wanted.Within.Seconds(), instead)
	}
	if len(mails) > 1 {
		i.server.fail("%d mails to %s%s came, one was wanted:%s", len(mails), i.Address, wanted, lines(mails))
	}
	return mails[0]
}

// None waits. The test fails as soon as there is a mail for which all conditions hold.
func (i *Inbox) None(wanted Conditions) {
	i.server.t.Helper()
	if mails, _ := i.look(&wanted, 3*time.Second); len(mails) > 0 {
		i.server.fail("Mail to %s%s came, none was wanted:%s", i.Address, wanted, lines(mails))
	}
}

// look returns the mails that match, as soon as there is one; else, once the time is over, lines on those that came instead.
func (i *Inbox) look(wanted *Conditions, within time.Duration) (matching []*Mail, others string) {
	i.server.t.Helper()
	if wanted.Within == 0 {
		wanted.Within = within
	}
	query := wanted.query()
	query.Set("address", i.Address)
	query.Set("since", strconv.Itoa(i.since))
	query.Set("limit", "20")
	query.Set("explain", "1")
	query.Set("count", "1")
	for end := time.Now().Add(wanted.Within); ; {
		wait := math.Ceil(time.Until(end).Seconds())
		query.Set("wait", strconv.Itoa(int(min(longestWait, max(0, wait)))))
		var answer struct {
			Items      []struct{ ID int }
			Pagination struct{ Total int }
			NearMisses []miss `json:"near_misses"`
		}
		i.server.json("/api/messages", query, &answer)
		others = ""
		for _, item := range answer.Items {
			mail := i.server.mail(item.ID)
			if failed := wanted.failed(mail); len(failed) > 0 {
				others += miss{mail.ID, mail.Subject, i.Address, failed}.line()
			} else {
				matching = append(matching, mail)
			}
		}
		count := answer.Pagination.Total + 1
		if len(matching) > 0 || time.Now().After(end) || count > mostMails {
			for _, near := range answer.NearMisses {
				others += near.line()
			}
			return matching, others
		}
		query.Set("count", strconv.Itoa(count))
	}
}

// condition is a text that the server looks for, and a pattern that is looked for here.
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
	}
}

// query returns the parameters that say the texts to the server.
func (c Conditions) query() url.Values {
	query := url.Values{}
	for _, one := range c.all() {
		if one.text != "" {
			query.Set(one.name, one.text)
		}
	}
	if c.Text != "" {
		query.Del("text")
		query.Set("q", c.Q+` body:"`+strings.ReplaceAll(c.Text, `"`, `\"`)+`"`)
	}
	return query
}

// failed returns the names of the patterns that are not found in a mail.
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
	if len(said) == 0 {
		return ""
	}
	return " with " + strings.Join(said, ", ")
}

// Mail is a mail. JSON is what GET /api/messages/{id} answers about it.
type Mail struct {
	ID      int
	Subject string
	JSON    []byte
	server  *Sandpost
	fields  struct {
		ID            int
		Subject       string
		FromName      string `json:"from_name"`
		FromAddress   string `json:"from_address"`
		MainLink      string `json:"main_link"`
		Text, HTML    *string
		TextTruncated bool `json:"text_truncated"`
		HTMLTruncated bool `json:"html_truncated"`
		Codes         []struct{ Value string }
		Links         []struct{ URL, Kind string }
		Attachments   []struct {
			ID       int
			Filename string
		}
	}
}

func (s *Sandpost) mail(id int) *Mail {
	s.t.Helper()
	mail := &Mail{server: s}
	mail.JSON = s.json(fmt.Sprintf("/api/messages/%d", id), nil, &mail.fields)
	mail.ID, mail.Subject = mail.fields.ID, mail.fields.Subject
	return mail
}

// Code returns the one-time code. The test fails if there is none, or several.
func (m *Mail) Code() string {
	m.server.t.Helper()
	var values []string
	for _, code := range m.fields.Codes {
		values = append(values, code.Value)
	}
	return m.one("code", values, nil)
}

// Link returns the link of a kind: verify, reset, login, invite, unsubscribe or other; without a kind, the link that the mail is
// about. The test fails if there is none, or several of the kind.
func (m *Mail) Link(kind string) string {
	m.server.t.Helper()
	var urls, there []string
	for _, link := range m.fields.Links {
		there = append(there, link.Kind+" "+link.URL)
		if link.Kind == kind {
			urls = append(urls, link.URL)
		}
	}
	if kind != "" {
		return m.one("link of the kind "+kind, urls, there)
	}
	if m.fields.MainLink != "" {
		return m.fields.MainLink
	}
	return m.one("main link", nil, there)
}

// Attachment returns the content of the attachment with a name like "*.pdf". The test fails if there is none, or several.
func (m *Mail) Attachment(pattern string) []byte {
	m.server.t.Helper()
	var like, there []string
	var id int
	for _, file := range m.fields.Attachments {
		there = append(there, file.Filename)
		if matches, _ := path.Match(pattern, file.Filename); matches {
			like, id = append(like, file.Filename), file.ID
		}
	}
	m.one("attachment "+pattern, like, there)
	return m.server.bytes(fmt.Sprintf("/api/messages/%d/attachments/%d", m.ID, id), nil)
}

// HTML returns the HTML. The test fails if there is none, or more than the 1 MiB that an answer has.
func (m *Mail) HTML() string {
	m.server.t.Helper()
	return m.whole("HTML", m.fields.HTML, m.fields.HTMLTruncated)
}

// Text returns the plain text. The test fails if there is none, or more than the 1 MiB that an answer has.
func (m *Mail) Text() string {
	m.server.t.Helper()
	return m.whole("text", m.fields.Text, m.fields.TextTruncated)
}

// Raw returns the bytes of the mail, as they were received.
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
		m.server.fail("%s has more than 1 MiB of %s: take the raw mail instead.", m, title)
	}
	return *text
}

// one returns the only value. The test fails on another number of them, with what is there instead.
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
	return fmt.Sprintf(`Mail %d "%s"`, m.ID, m.Subject)
}

// searched returns the text in which the pattern of a condition is looked for.
func (m *Mail) searched(name string) string {
	switch {
	case name == "subject":
		return m.Subject
	case name == "from":
		return m.fields.FromName + " " + m.fields.FromAddress
	case m.fields.Text != nil:
		return *m.fields.Text
	case m.fields.HTML != nil:
		return *m.fields.HTML
	}
	return ""
}

// miss is a mail that came instead of another, with the names of the conditions that it failed.
type miss struct {
	ID          int
	Subject, To string
	Failed      []string
}

func (m miss) line() string {
	return fmt.Sprintf("\n  mail %d \"%s\" to %s (differs in %s)", m.ID, m.Subject, m.To, strings.Join(m.Failed, ", "))
}

func lines(mails []*Mail) (text string) {
	for _, mail := range mails {
		text += fmt.Sprintf("\n  mail %d \"%s\"", mail.ID, mail.Subject)
	}
	return text
}

// findDomain returns the domain of a catch-all account, else of the capture account, among the oldest 200 accounts.
func (s *Sandpost) findDomain() string {
	s.t.Helper()
	var list struct {
		Items []struct {
			Address    string
			IsCatchAll bool `json:"is_catch_all"`
			IsCapture  bool `json:"is_capture"`
		}
	}
	s.json("/api/accounts", url.Values{"limit": {"200"}, "is_active": {"true"}}, &list)
	domains := map[bool]string{}
	for _, account := range slices.Backward(list.Items) {
		if account.IsCatchAll || account.IsCapture {
			domains[account.IsCatchAll] = account.Address[strings.LastIndex(account.Address, "@")+1:]
		}
	}
	if len(domains) == 0 {
		s.fail("No account at %s takes mail for any address: make one, or set SANDPOST_DOMAIN.", s.URL)
	}
	return cmp.Or(domains[true], domains[false])
}

// json reads an answer into a value, and returns its bytes.
func (s *Sandpost) json(path string, query url.Values, into any) []byte {
	s.t.Helper()
	answer := s.bytes(path, query)
	if json.Unmarshal(answer, into) != nil {
		s.fail("%s is no Sandpost: it does not answer with JSON.", s.URL)
	}
	return answer
}

func (s *Sandpost) bytes(path string, query url.Values) []byte {
	s.t.Helper()
	wait, _ := strconv.Atoi(query.Get("wait"))
	client := http.Client{Timeout: time.Duration(30+wait) * time.Second, CheckRedirect: stay}
	var answer *http.Response
	var body []byte
	request, err := http.NewRequest("GET", s.URL+path+"?"+query.Encode(), nil)
	if err == nil {
		if s.Key != "" {
			request.Header.Set("X-API-KEY", s.Key)
		}
		answer, err = client.Do(request)
	}
	if err == nil {
		defer answer.Body.Close()
		body, err = io.ReadAll(answer.Body)
	}
	if err != nil {
		s.fail("No Sandpost answers at %s: set SANDPOST_URL to its address.", s.URL)
	}
	if answer.StatusCode != 200 {
		s.refused(answer, body)
	}
	return body
}

// stay follows no redirection: another host must not get the key.
func stay(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}

// refused fails the test by an answer that is no success.
func (s *Sandpost) refused(answer *http.Response, body []byte) {
	s.t.Helper()
	var problem struct{ Detail string }
	switch version := cmp.Or(answer.Header.Get("Sandpost-Version"), "an older version"); {
	case answer.StatusCode == 401 && s.Key != "":
		s.fail("SANDPOST_API_KEY is no key of %s.", s.URL)
	case answer.StatusCode == 401:
		s.fail("%s wants a key: set SANDPOST_API_KEY.", s.URL)
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		s.fail("%s leads to another address: set SANDPOST_URL to that.", s.URL)
	case json.Unmarshal(body, &problem) != nil || problem.Detail == "":
		s.fail("%s is no Sandpost: it does not answer with JSON.", s.URL)
	case version != Version:
		s.fail("%s answered %d: %s. The server is %s, this client %s.", s.URL, answer.StatusCode, problem.Detail, version, Version)
	default:
		s.fail("%s answered %d: %s.", s.URL, answer.StatusCode, problem.Detail)
	}
}

func (s *Sandpost) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatal(fmt.Sprintf(format, args...))
}
