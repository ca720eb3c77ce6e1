// Calls the client as the lines of standard input say. See languages.ts beside this folder.
package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"clients/sandpost"
)

// failure is what a test ends with.
type failure string

type test struct{}

func (test) Helper()           {}
func (test) Fatal(args ...any) { panic(failure(fmt.Sprint(args...))) }

var (
	server *sandpost.Sandpost
	inbox  *sandpost.Inbox
)

func call(word string, given []string) string {
	switch word {
	case "server":
		server = sandpost.New(test{})
		server.URL, server.Key, server.Domain = given[0], given[1], given[2]
		return ""
	case "inbox":
		inbox = server.Inbox(given[0])
		return inbox.Address
	}
	var wanted sandpost.Conditions
	texts := map[string]*string{
		"subject": &wanted.Subject, "from": &wanted.From, "text": &wanted.Text, "q": &wanted.Q, "trace": &wanted.Trace,
	}
	patterns := map[string]**regexp.Regexp{"subject": &wanted.SubjectMatches, "from": &wanted.FromMatches, "text": &wanted.TextMatches}
	asked := map[string]string{"name": "*"}
	for _, one := range given {
		name, value, _ := strings.Cut(one, "=")
		if plain, isPattern := strings.CutSuffix(name, "~"); isPattern {
			*patterns[plain] = regexp.MustCompile(value)
		} else if text := texts[name]; text != nil {
			*text = value
		} else if name == "within" || name == "settle" {
			seconds, _ := strconv.ParseFloat(value, 64)
			*map[string]*time.Duration{"within": &wanted.Within, "settle": &wanted.Settle}[name] = time.Duration(seconds * float64(time.Second))
		} else if name == "count" {
			wanted.Count, _ = strconv.Atoi(value)
		} else if name == "after" {
			for _, mail := range inbox.Mails(sandpost.Conditions{}) {
				if strconv.Itoa(mail.ID) == value {
					wanted.After = mail
				}
			}
		} else {
			asked[name] = value
		}
	}
	if word == "none" {
		inbox.None(wanted)
		return ""
	}
	if word == "mails" {
		var ids []string
		for _, mail := range inbox.Mails(wanted) {
			ids = append(ids, strconv.Itoa(mail.ID))
		}
		return strings.Join(ids, "\n")
	}
	mail := inbox.Wait(wanted)
	switch word {
	case "wait":
		return strconv.Itoa(mail.ID)
	case "code":
		return mail.Code()
	case "link":
		return mail.Link(asked["kind"])
	case "attachment":
		return string(mail.Attachment(asked["name"]))
	case "html":
		return mail.HTML()
	case "text":
		return mail.Text()
	}
	return string(mail.Raw())
}

func answer(words []string) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case failure:
			fmt.Printf("error %x\n", string(ended))
		default:
			panic(ended)
		}
	}()
	fmt.Printf("ok %x\n", call(words[0], words[1:]))
}

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		answer(strings.Split(lines.Text(), "\t"))
	}
}
