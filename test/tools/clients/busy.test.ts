import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sandpost } from '#clients/javascript/index.js';
import { type Client, languages, type Result, without } from '#test/support/clients/languages.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

/** Clients of a server that refuses requests because it is overloaded, or drops their connections. */

let mail: MailProgram;
let user: User;
before(async () => {
  mail = await startMailProgram({ SANDPOST_MAX_WAITS: '4', SANDPOST_RATE_LIMIT: '1000000' });
  user = await createUser(mail.program);
  await ok(user.api.post('/api/accounts', { address: `*@${user.domain.domain}` }));
});
after(() => mail.stop());

type Fault = 'refused' | 'busy' | 'lost';

/** Server in front of the program. Applies one fault to each request while faults remain, and refuses waits if `refusesWaits` is set. */
const front = { faults: [] as Fault[], refusesWaits: false, refusesAll: false, requests: [] as string[] };
const server = createServer((incoming, outgoing) => {
  front.requests.push(incoming.url ?? '');
  if (front.refusesAll) return refuse(outgoing, 429, '1');
  if (front.refusesWaits && /[?&]wait=/.test(incoming.url ?? '')) return refuse(outgoing, 429, '0.2');
  const fault = front.faults.shift();
  if (fault === 'lost') incoming.socket.destroy();
  else if (fault === 'refused') refuse(outgoing, 429, '0');
  else if (fault === 'busy') refuse(outgoing, 503, '0');
  else forward(incoming, outgoing);
});

function refuse(outgoing: ServerResponse, status: number, retryAfter: string) {
  outgoing
    .writeHead(status, { 'Retry-After': retryAfter })
    .end('{"code": "too_many_waits", "detail": "Slow down"}');
}

function forward({ url = '/', method, headers }: IncomingMessage, outgoing: ServerResponse) {
  const options = {
    port: mail.program.httpPort,
    host: '127.0.0.1',
    path: url,
    method,
    headers,
    agent: false,
  };
  request(options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  }).end();
}

let url = '';
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const textOf = (result: Result) => {
  if ('error' in result) throw new Error(result.error);
  return result.value.toString();
};

for (const language of languages) {
  describe(`client for ${language.name}`, { skip: without(language), concurrency: false }, () => {
    let client: Client;
    let address: string;
    before(async () => {
      client = await language.start();
      await client.use({ url, key: user.key, domain: '' });
    });
    after(() => client.stop());

    test('requests that are refused or lost are repeated', async () => {
      front.faults = ['refused', 'busy', 'lost', 'refused'];
      address = textOf(await client.call('inbox', 'busy'));
      const files = [{ filename: 'a.txt', content: Buffer.from('Here I am') }];
      await deliverOne(mail.program, { to: address, text: 'Your code is 493817.', attachments: files });
      front.faults = ['lost', 'busy', 'refused'];
      assert.equal(textOf(await client.call('code')), '493817');
      front.faults = ['busy', 'lost'];
      assert.equal(textOf(await client.call('attachment', 'name=*.txt')), 'Here I am');
      assert.deepEqual(front.faults, []);
    });

    test('a wait that is refused until its end looks once more', async () => {
      front.refusesWaits = true;
      assert.equal(textOf(await client.call('code', 'within=1')), '493817');
      assert.match(
        String(Object.values(await client.call('none', 'within=1'))),
        /^Mail to .* arrived, but none was expected/,
      );
      front.refusesWaits = false;
    });

    test('a server that refuses all is no missing mail', async () => {
      front.refusesAll = true;
      const result = await client.call('wait', 'within=1');
      front.refusesAll = false;
      assert.ok('error' in result);
      assert.match(result.error, /^http:\S+ has returned 429 for [012] s: Slow down\./);
    });

    test('a test is two requests: an address, and a mail that is waited for and read', async () => {
      front.requests = [];
      address = textOf(await client.call('inbox', 'two'));
      await deliverOne(mail.program, { to: address, text: 'Your code is 493817.' });
      assert.equal(textOf(await client.call('code')), '493817');
      assert.equal(front.requests.length, 2, front.requests.join('\n'));
    });
  });
}

test('twenty tests at once pass where four requests can wait', async () => {
  const tests = Array.from({ length: 20 }, async (_, at) => {
    const inbox = await sandpost({ url: mail.program.baseUrl, key: user.key }).inbox(`test ${at}`);
    const waits = inbox.wait({ subject: /hello/i });
    await deliver(mail.program, { to: inbox.address, text: `Your code is ${100_000 + at}.` });
    return (await waits).code();
  });
  const codes = await Promise.all(tests);
  assert.deepEqual(
    codes,
    codes.map((_, at) => String(100_000 + at)),
  );
});
