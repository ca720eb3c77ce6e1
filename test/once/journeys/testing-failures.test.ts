import { testCommands } from '#test/support/program/page-commands.ts';

/** Outputs of each block's commands, in order. */
const wanted = {
  retry: [/^<\*\* 451 4\.7\.1 .*\n<\*\* 451 4\.7\.1 .*\n<- {2}250 2\.6\.0 stored/, /"total":1\}/],
  rule: [
    /"to_addresses":\["bob@gmail.com"\]/,
    /"hits":2,"attempts":\[\{.*"451 4\.7\.1 Try again"\},\{.*"451 4\.7\.1 Try again"\},\{[^}]*"reply":null\}\]/,
    /"deleted":true/,
  ],
  final: [/^<\*\* 550 5\.1\.1 Refused on purpose/, /"rcpt_to":\["carol\+fail-550-5\.1\.1@gmail\.com"\]/],
  rate: [/^<- {2}250 2\.6\.0 stored as \d+\n<\*\* 421 4\.7\.0 Slow down\n/, /"deleted":true/],
  bounce: [
    /^<- {2}250 2\.6\.0/,
    /"report":\{"kind":"failed","recipients":\[\{"address":"erin\+fail-dsn-5\.1\.1@gmail\.com"/,
    /^Status: 5\.1\.1\r?\nDiagnostic-Code: smtp; 550 5\.1\.1/m,
  ],
  slow: [/^<\*\* Timeout \(1 secs\)/],
  drop: [/^\*\*\* Remote host closed connection/],
  reset: [/^\*\*\* .*\n<- {2}250 2\.6\.0/, /"deleted":true/],
};

testCommands('docs/testing-failures.md', ['swaks', 'curl'], wanted);
