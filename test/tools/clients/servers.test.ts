import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SandpostError, sandpost } from '#clients/javascript/index.js';

/** Servers that are not what the client expects: older, newer, unreachable, or not Sandpost. */

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: TestContext, handle: Handle): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Responds as a server version that lacks some parameters. */
const ofVersion =
  (version: string | null, unknown: string[]): Handle =>
  (request, response) => {
    const asked = new URL(request.url ?? '', 'http://server').searchParams;
    const refused = unknown.find((name) => asked.has(name));
    const headers = version === null ? {} : { 'Sandpost-Version': version };
    response.writeHead(refused ? 422 : 200, { 'Content-Type': 'application/json', ...headers });
    const detail = `There is no parameter ${refused}`;
    const catchAll = { address: '*@app.test', is_catch_all: true, is_capture: false };
    const items = request.url?.startsWith('/api/accounts') ? [catchAll] : [];
    const list = { items, near_misses: [], cursor: 7, pagination: { total: items.length }, later_field: 1 };
    response.end(JSON.stringify(refused ? { detail, violations: [{ field: refused }] } : list));
  };

const failing = async (url: string) => {
  const inbox = await sandpost({ url, key: 'sp_x', domain: 'app.test' }).inbox();
  return inbox.wait({}, { within: 0 });
};

const servers: [what: string, handle: Handle, message: RegExp][] = [
  [
    'an older server',
    ofVersion('0.2.9', ['explain']),
    / returned 422: There is no parameter explain\. Server version: 0\.2\.9\. Client version: @VERSION@\.$/,
  ],
  [
    'a server that does not tell its version',
    ofVersion(null, ['explain']),
    /Server version: older\. Client version: @VERSION@\.$/,
  ],
  [
    'a newer server, which still answers',
    ofVersion('9.0.0', []),
    /^No mail to test-[0-9a-f]{10}@app\.test arrived within 0 s\. No similar mail arrived\.$/,
  ],
  [
    'a page of another program',
    (_request, response) => response.end('<!doctype html>'),
    /^http:\S+ is not a Sandpost server: it did not return JSON\.$/,
  ],
  [
    'a failure of a proxy',
    (_request, response) => response.writeHead(502).end('Bad gateway'),
    /^http:\S+ is not a Sandpost server: it did not return JSON\.$/,
  ],
  [
    'a wrong key',
    (_request, response) => response.writeHead(401).end('{}'),
    /^SANDPOST_API_KEY is not a valid key for http:\S+\.$/,
  ],
  [
    'a server that closes the connection',
    (request) => request.socket.destroy(),
    /^No Sandpost server answers at http:\S+: set SANDPOST_URL to its address\.$/,
  ],
];

for (const [what, handle, message] of servers) {
  test(`${what} is named by the error`, async (t) => {
    await assert.rejects(failing(await serve(t, handle)), (error: Error) => {
      assert.ok(error instanceof SandpostError);
      assert.match(error.message, message);
      return true;
    });
  });
}

test('the key is not sent to where a server redirects to', async (t) => {
  const keys: unknown[] = [];
  const other = await serve(t, (request, response) => {
    keys.push(request.headers['x-api-key']);
    response.end('{}');
  });
  const url = await serve(t, (_request, response) => response.writeHead(302, { Location: other }).end());
  await assert.rejects(failing(url), {
    message: `${url} redirects to another address: set SANDPOST_URL to that address.`,
  });
  assert.deepEqual(keys, []);
});

test('a misspelt condition or option is refused, since it would match everything', async (t) => {
  const url = await serve(t, ofVersion('0.3.0', []));
  const inbox = await sandpost({ url: `${url}//`, domain: 'app.test' }).inbox('Sign up: Ünïcode + tag');
  assert.match(inbox.address, /^sign-up-n-code-tag-[0-9a-f]{10}@app\.test$/);
  const refused: [object, object, RegExp][] = [
    [{ subjct: 'x' }, {}, /^Unknown condition subjct: use subject, from, text, q, trace, after\.$/],
    [{ subject: 7 }, {}, /^The condition subject must be a string or a regular expression\.$/],
    [{ q: /x/ }, {}, /^The condition q must be a string\.$/],
    [{ subject: ' ' }, {}, /^The condition subject is empty\.$/],
    [{ after: 7 }, {}, /^The condition after must be an email\.$/],
    [{}, { timeout: 3 }, /^Unknown option timeout: use within, settle\.$/],
    [{}, { settle: -1 }, /^The option settle must be a number of seconds, not -1\.$/],
    [{}, { within: '3' }, /^The option within must be a number of seconds, not 3\.$/],
    [{}, { within: Number.NaN }, /^The option within must be a number of seconds, not NaN\.$/],
    [{}, { within: -1 }, /not -1\.$/],
  ];
  for (const [conditions, options, message] of refused)
    await assert.rejects(inbox.wait(conditions, options), { message });
  await assert.rejects(inbox.none({ subjct: 'x' } as object), { message: /^Unknown condition subjct: / });
  await assert.rejects(inbox.none({}, { settle: 3 } as object), { message: /^Unknown option settle: / });
  await assert.rejects(inbox.mails({}, { count: 0 }), {
    message: 'The option count must be a number from 1 to 200, not 0.',
  });
});

test('a misspelt option of the client or of a matcher is refused, since it would do nothing', async () => {
  assert.throws(() => sandpost({ apiKey: 'sp_x' } as object), {
    name: 'SandpostError',
    message: 'Unknown option apiKey: use url, key, domain.',
  });
  const { matchersAt } = (await import('#clients/javascript/matchers.js')) as unknown as {
    matchersAt(place: () => object): Record<'toMatchMail' | 'toPassDmarc', (...args: unknown[]) => unknown>;
  };
  const { toMatchMail, toPassDmarc } = matchersAt(() => ({ file: '/nowhere/a.test.js', updates: 'none' }));
  assert.throws(() => toPassDmarc({ fields: {} }, { clientIp: '203.0.113.7', record: {} }), {
    message: /^Unknown fact record: use clientIp, /,
  });
  await assert.rejects(async () => toMatchMail({ fields: {} }, 'welcome', { maskPattern: ['x'] }), {
    message: 'Unknown option maskPattern: use mask, maskPatterns.',
  });
});

test('none takes its time as an option, or as it did before', async (t) => {
  const asked: (string | null)[] = [];
  const answer = ofVersion('0.3.0', []);
  const url = await serve(t, (request, response) => {
    asked.push(new URL(request.url ?? '', 'http://server').searchParams.get('wait'));
    answer(request, response);
  });
  const inbox = await sandpost({ url }).inbox();
  asked.length = 0;
  await inbox.none({ subject: 'x' }, { within: 0.05 });
  await inbox.none({ subject: 'x', within: 0.05 });
  assert.deepEqual([...new Set(asked)], ['1']);
});

test('more mails than are looked at fail a pattern, since the others might match', async (t) => {
  const url = await serve(t, (_request, response) =>
    response.end(JSON.stringify({ items: [], cursor: 7, pagination: { total: 201 } })),
  );
  const inbox = await sandpost({ url, domain: 'app.test' }).inbox();
  const message = /^201 emails to \S+ with subject \/x\/ arrived, but a call checks at most 200: /;
  await assert.rejects(inbox.none({ subject: /x/ }), { message });
  await assert.rejects(inbox.wait({ subject: /x/ }), { message });
  await assert.rejects(inbox.mails(), {
    message: /^201 emails to \S+ arrived, but a call checks at most 200/,
  });
});
