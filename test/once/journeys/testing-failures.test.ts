import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';

/** Blocks of commands of the page, by their name. */
const blocks = Object.fromEntries(
  [...readFileSync('docs/testing-failures.md', 'utf8').matchAll(/^```sh (\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, name = '', lines = '']) => [name, lines],
  ),
);
const { begin = '' } = blocks;
const missing = ['swaks', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error);
const skip = missing.length > 0 && `test/setup.sh installs what is missing here: ${missing.join(', ')}`;

let dev: Process;
let cwd: string;
before(async () => {
  cwd = await temporaryDir();
  dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
});
after(() => dev.stop());

/** Runs the commands of a block as a user does who has run the first one. Returns what they print. */
async function run(name: string): Promise<string> {
  const lines = `${begin}${blocks[name]}`
    .replaceAll('localhost:8080', `127.0.0.1:${dev.ports.http}`)
    .replaceAll('localhost:2525', `127.0.0.1:${dev.ports.smtp}`);
  return (await promisify(execFile)('bash', ['-uc', lines], { cwd })).stdout;
}

/** Outputs of the commands of each block, in their order. */
const wanted: Record<string, RegExp[]> = {
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

test('each block of commands of the page is run here', () => {
  assert.deepEqual(Object.keys(blocks), ['begin', ...Object.keys(wanted)]);
});

for (const [name, patterns] of Object.entries(wanted)) {
  test(`the commands of docs/testing-failures.md do what they say: ${name}`, { skip }, async () => {
    let output = await run(name);
    for (const pattern of patterns) {
      const found = pattern.exec(output) ?? assert.fail(`no ${pattern} in ${output}`);
      output = output.slice(found.index + found[0].length);
    }
  });
}
