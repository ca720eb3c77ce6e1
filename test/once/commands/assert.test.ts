import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { runCommand } from '#test/support/program/command.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const folder: string = await temporaryDir();

async function fileOf(content: string): Promise<string> {
  const file = path.join(folder, 'mails.json');
  await writeFile(file, content);
  return file;
}

/** Runs the command on a file with this content. */
async function run(content: unknown, settings: Record<string, string> = {}, ...options: string[]) {
  const file = await fileOf(typeof content === 'string' ? content : JSON.stringify(content));
  const known = { SANDPOST_URL: `${program.baseUrl}/`, SANDPOST_API_KEY: user.key, ...settings };
  return runCommand(['assert', file, ...options], known);
}

const holds = (name: string) => ({
  name,
  find: { address: user.address },
  expect: [{ subject: { contains: 'Welcome' } }],
});
const fails = (name: string) => ({
  name,
  find: { address: user.address },
  expect: [{ subject: { equals: 'Hello' } }],
});

test('exits with 0 if all hold, and 1 with what does not', async () => {
  await deliverOne(program, { to: user.address, subject: 'Welcome \u001b[31m' });
  assert.deepEqual(await run(holds('a')), { code: 0, out: 'ok     a\n', err: '' });
  assert.deepEqual(await run([holds('a'), fails('b')]), {
    code: 1,
    out: [
      'ok     a',
      'failed b',
      '         subject equals "Hello"',
      '           expected: Hello',
      '           actual:   Welcome [31m',
      '',
    ].join('\n'),
    err: '',
  });
  const missing = { find: { address: user.address, q: 'subject:none' }, expect: [] };
  const { code, out } = await run(missing);
  assert.equal(code, 1);
  assert.match(out, /^failed .*mails\.json 1\n {9}a message\n/);
  assert.match(out, /near miss: message \d+ to qa@.*, "Welcome \[31m", does not match subject\n/);
});

test('lists what was refused to the address', async () => {
  const refusing = await createUser(program);
  await ok(refusing.api.patch(`/api/accounts/${refusing.account.id}`, { simulates_failures: true }));
  const address = refusing.address.replace('@', '+fail-550@');
  await assert.rejects(deliverOne(program, { to: address }), /550/);
  const env = { SANDPOST_API_KEY: refusing.key };
  const { code, out } = await run({ find: { address }, expect: [] }, env);
  assert.equal(code, 1);
  assert.ok(out.includes(`near miss: refused for ${address}: 550 `), out);
});

test('writes a report, also of what could not be evaluated, and exits with 2 for that', async () => {
  const report = path.join(folder, 'report.xml');
  const wrong = { name: 'c', find: {}, expect: [{ sbject: {} }] };
  const { code, out } = await run([holds('a'), fails('b'), wrong], {}, '--junit', report);
  assert.equal(code, 2);
  assert.match(
    out,
    /\nerror {2}c\n {9}http:\/\/\S+ answered 422: expect\.0\.sbject: sbject is not a known clause/,
  );
  const xml = await readFile(report, 'utf8');
  assert.deepEqual(xml.match(/<testsuite name="\w" tests="\d" failures="\d" errors="\d"/g), [
    '<testsuite name="a" tests="1" failures="0" errors="0"',
    '<testsuite name="b" tests="1" failures="1" errors="0"',
    '<testsuite name="c" tests="1" failures="0" errors="1"',
  ]);
});

test('annotates for GitHub, adds to the summary of the job, and reports to GitLab', async () => {
  const summary = path.join(folder, 'summary.md');
  const report = path.join(folder, 'gitlab.json');
  await writeFile(summary, 'before\n');
  const options = ['--github', '--gitlab', report];
  const env = { GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: folder };
  const { code, out } = await run([holds('a'), fails('b')], env, ...options);
  assert.equal(code, 1);
  assert.match(
    out,
    /\n::error file=[^\n/]*mails\.json,title=b::subject equals "Hello": expected Hello, actual Welcome \[31m\n$/,
  );
  assert.match(
    await readFile(summary, 'utf8'),
    /^before\n<p>sandpost assert .*: 1 passed, 1 failed<\/p>\n<table>/,
  );
  assert.equal(JSON.parse(await readFile(report, 'utf8')).length, 1);
  assert.equal((await run(fails('b'), {}, '--github')).code, 1);
});

test('a report that cannot be written is told, and leaves the others', async () => {
  const written = path.join(folder, 'other.json');
  const options = ['--junit', path.join(folder, 'none', 'report.xml'), '--gitlab', written, '--github'];
  const { code, out } = await run(fails('b'), {}, ...options);
  assert.equal(code, 2);
  assert.match(out, /\n::error /);
  assert.equal(JSON.parse(await readFile(written, 'utf8')).length, 1);
});

const broken: [
  name: string,
  content: unknown,
  settings: Record<string, string>,
  options: string[],
  text: RegExp,
][] = [
  [
    'a wrong key',
    { find: {}, expect: [] },
    { SANDPOST_API_KEY: 'sp_x' },
    [],
    /401: The API key in X-API-KEY is unknown/,
  ],
  ['no key', { find: {}, expect: [] }, { SANDPOST_API_KEY: '' }, [], /401: Send an API key/],
  [
    'a server that is away',
    { find: {}, expect: [] },
    { SANDPOST_URL: 'http://127.0.0.1:9' },
    [],
    /127\.0\.0\.1:9/,
  ],
  [
    'a URL without http://',
    { find: {}, expect: [] },
    { SANDPOST_URL: 'localhost:8080' },
    [],
    /localhost:8080: SANDPOST_URL must begin with http:/,
  ],
  ['no JSON', '{', {}, [], /^sandpost assert: .*\.json is not JSON: /],
  ['an empty list', [], {}, [], /contains no assertion/],
  ['a list of other things', [7], {}, [], /must contain a JSON object or a list of objects/],
  ['an unknown option', {}, {}, ['--junt', 'x'], /Unknown option --junt \(did you mean --junit\?\)\n$/],
  ['two files', {}, {}, ['other.json'], /name exactly one file: sandpost assert FILE/],
  [
    'a report that cannot be written',
    { find: {}, expect: [] },
    {},
    ['--junit', '/nowhere/report.xml'],
    /ENOENT/,
  ],
];
for (const [name, content, settings, options, text] of broken) {
  test(`exits with 2 and a sentence for ${name}`, async () => {
    const { code, out, err } = await run(content, settings, ...options);
    assert.equal(code, 2);
    assert.match(out + err, text);
    assert.ok((out + err).trimEnd().split('\n').length <= 2, out + err);
  });
}

/** Placeholder for a value in a file's text. */
const placeOf = (name: string) => ['$', '{', name, '}'].join('');

test('--set fills in texts, and --help says what there is', async () => {
  const assertion = {
    find: { address: placeOf('address') },
    expect: [{ subject: { contains: 'Welcome' } }, { text: { contains: placeOf('amount') } }],
  };
  await deliverOne(program, {
    to: user.address,
    subject: 'Welcome',
    text: `A template has ${placeOf('amount')}`,
  });
  const literal = ['--set', `amount=${placeOf('amount')}`];
  const { code, out } = await run(assertion, {}, '--set', `address=${user.address}`, ...literal);
  assert.equal(code, 0, out);
  const misspelt = await run(assertion, {}, '--set', 'adress=x', ...literal);
  const fault = `mails.json: --set address=VALUE is missing, the file has no placeholder ${placeOf('adress')}\n`;
  assert.deepEqual([misspelt.code, misspelt.err.endsWith(fault)], [2, true], misspelt.err);
  assert.match((await runCommand(['--help'], {})).out, /--junit REPORT\] \[--github\] \[--gitlab REPORT\]\n/);
  const wrong = await run(assertion, {}, '--set', 'address');
  assert.deepEqual([wrong.code, wrong.err], [2, 'sandpost assert: --set needs NAME=VALUE, not address\n']);
  const { code: none, out: text } = await runCommand(['assert', '--help'], {});
  assert.deepEqual(
    [none, text.split('\n')[0]],
    [0, 'usage: sandpost assert FILE [--junit REPORT] [--github] [--gitlab REPORT] [--set NAME=VALUE …]'],
  );
});

test('repeats what a busy server refuses, a wait with the time that is left, and says when it gives up', async (t) => {
  const waits: number[] = [];
  const refusals = [
    ['0', 429],
    ['0', 503],
    ['1', 429],
  ] as const;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const refusal = refusals[waits.push(JSON.parse(body).find.wait) - 1];
      if (refusal !== undefined)
        response.writeHead(refusal[1], { 'Retry-After': refusal[0] }).end('{"detail": "Slow down"}');
      else if (waits.length === 4) response.end(clauses(true));
      else response.writeHead(429, { 'Retry-After': '3600' }).end('{"detail": "Slow down"}');
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const settings = { SANDPOST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const assertion = { name: 'a', find: { wait: 70 }, expect: [] };
  assert.equal((await run(assertion, settings)).code, 0);
  assert.equal(waits[0], 70);
  assert.deepEqual(
    waits,
    waits.toSorted((one, other) => other - one),
  );
  assert.ok(waits.length === 4 && Number(waits[3]) < 70, String(waits));
  const { code, out } = await run(assertion, settings);
  assert.equal(code, 2);
  assert.match(out, /^error {2}a\n {9}http:\/\/\S+ answered 429: Slow down, for \d+ s\n$/);
});

const clauses = (passed: unknown) => JSON.stringify({ passed, clauses: [] });
const others: [name: string, status: number, headers: Record<string, string>, body: string, text: RegExp][] =
  [
    ['a redirect', 307, { location: '/elsewhere' }, '', /307: a redirect to \/elsewhere/],
    ['a page', 200, {}, '<html>', /200: not a response from Sandpost/],
    ['an error with clauses', 500, {}, clauses(true), /500: not a response from Sandpost/],
    ['an answer that says nothing', 200, {}, clauses(undefined), /200: not a response from Sandpost/],
    [
      'an answer that is at odds with its status',
      417,
      {},
      clauses(true),
      /417: not a response from Sandpost/,
    ],
  ];
for (const [name, status, headers, body, text] of others) {
  test(`takes ${name} of another server for no answer`, async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      response.writeHead(status, headers).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, out } = await run(holds('a'), { SANDPOST_URL: `http://127.0.0.1:${port}` });
    server.close();
    assert.equal(code, 2);
    assert.match(out, text);
    assert.deepEqual(paths, ['/api/assert']);
  });
}
