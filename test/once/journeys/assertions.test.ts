import { testCommands } from '#test/support/program/page-commands.ts';

/** Outputs of each block's commands, in order. */
const wanted = {
  pass: [
    /^<- {2}250 2\.6\.0/,
    /"passed":true,"message_id":\d+,"clauses":\[\{"name":"subject contains \\"Welcome\\"","passed":true/,
    /"name":"link of kind verify to app\.example\.com","passed":true/,
  ],
  fail: [/"passed":false,.*"expected":"Hello","actual":"Welcome, Ada"/, /exit 22\n$/],
  missing: [/"clauses":\[\{"name":"a message","passed":false/, /"near_misses":\[\{.*"failed":\["subject"\]/],
  clients: [
    /^<- {2}250 2\.6\.0/,
    /"passed":false.*"actual":"css-display-flex \(outlook\.windows\)"/,
    /"passed":true.*"actual":"no unsupported features"/,
  ],
  facts: [/"name":"spf is pass, dmarc is pass","passed":true/],
  junit: [
    /<testsuite name="sign-up" tests="2" failures="1"/,
    /<failure message="expected: dmarc pass; actual: dmarc \w+"/,
  ],
  command: [
    /^ok {5}sign-up$/m,
    /^failed greeting\n {9}text contains "Dear Ada"\n {11}expected: Dear Ada\n {11}actual: {3}Your code/m,
    /^exit 1\n2$/m,
  ],
  keep: [],
  same: [/^<- {2}250 2\.6\.0/, /"equal":true,"changes":\[\]/],
  differs: [
    /"equal":false,"changes":\[\{"part":"text","path":"line 1","before":"Your code is 493817/,
    /--- left\/text\\n/,
  ],
  patterns: [/"equal":true,.*"masked":\{"ids":\d+,"dates":\d+,"codes":0,"queries":1,"patterns":1\}/],
};

testCommands('docs/assertions.md', ['swaks', 'curl', 'python3'], wanted);
