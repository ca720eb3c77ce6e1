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
	texts := map[string]*string{"subject": &wanted.Subject, "from": &wanted.From, "text": &wanted.Text, "q": &wanted.Q}
	patterns := map[string]**regexp.Regexp{"subject": &wanted.SubjectMatches, "from": &wanted.FromMatches, "text": &wanted.TextMatches}
	asked := map[string]string{"name": "*"}
	for _, one := range given {
		name, value, _ := strings.Cut(one, "=")
		if plain, isPattern := strings.CutSuffix(name, "~"); isPattern {
			*patterns[plain] = regexp.MustCompile(value)
		} else if text := texts[name]; text != nil {
			*text = value
		} else if name == "within" {
			seconds, _ := strconv.ParseFloat(value, 64)
			wanted.Within = time.Duration(seconds * float64(time.Second))
		} else {
			asked[name] = value
		}
	}
	if word == "none" {
		inbox.None(wanted)
		return ""
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
