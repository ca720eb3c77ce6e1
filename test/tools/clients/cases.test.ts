import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import {
  type Client,
  type Language,
  languages,
  type Result,
  type Server,
  without,
} from '#test/support/clients/languages.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne, type TestMail } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { freePort } from '#test/support/runner/free-port.ts';

/** Email to send. `to` defaults to the case's address. */
type CaseMail = Partial<Omit<TestMail, 'to' | 'attachments'>> & {
  to?: string;
  attachments?: { filename: string; base64: string }[];
};

/**
 * Test case: a client creates an address, the emails are sent in order, and the client calls `call`, which returns `value` or the bytes
 * of `base64`, or fails with `error`. In these, `$address` is the address, `$domain` its domain, and `$2` the second email's ID.
 */
type Case = {
  name: string;
  /** Languages that cannot express the case. */
  without?: string[];
  mails: CaseMail[];
  /** Number of further emails. */
  more?: number;
  call: string[];
  value?: string;
  base64?: string;
  error?: string;
};

const cases: Case[] = JSON.parse(readFileSync('test/tools/clients/cases.json', 'utf8'));
const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Other servers' responses by path, and the client's errors. `$url` is the server's address. */
const servers: Record<
  string,
  [status: number, headers: Record<string, string>, body: string, error: string]
> = {
  '/page': [200, {}, '<html></html>', '$url is not a Sandpost server: it did not return JSON.'],
  '/gateway': [502, {}, '<html></html>', '$url is not a Sandpost server: it did not return JSON.'],
  '/moved': [
    302,
    { Location: '/page' },
    '',
    '$url redirects to another address: set SANDPOST_URL to that address.',
  ],
  '/busy': [
    429,
    { 'Sandpost-Version': version, 'Retry-After': '3600' },
    '{"detail":"Slow down"}',
    '$url has returned 429 for 0 s: Slow down.',
  ],
  '/older': [
    422,
    {},
    '{"detail":"explain is unknown"}',
    `$url returned 422: explain is unknown. Server version: older. Client version: ${version}.`,
  ],
  '/newer': [
    404,
    { 'sandpost-version': '99.0.0' },
    '{"detail":"There is nothing here"}',
    `$url returned 404: There is nothing here. Server version: 99.0.0. Client version: ${version}.`,
  ],
};
const other = createServer((request, response) => {
  const [path = ''] = Object.keys(servers).filter((one) => request.url?.startsWith(`${one}/`));
  const [status, headers, body] = servers[path] ?? [500, {}, ''];
  response.writeHead(status, headers).end(body);
});

let mail: MailProgram;
before(async () => {
  mail = await startMailProgram();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  other.close();
  await mail.stop();
});

describe('clients', { concurrency: 2 }, () => {
  for (const language of languages) checkClient(language);
});

function checkClient(language: Language) {
  describe(`client for ${language.name}`, { skip: without(language), concurrency: false }, () => {
    let client: Client;
    let user: User;
    let server: Server;
    before(async () => {
      [client, user] = await Promise.all([language.start(), createUser(mail.program)]);
      await ok(user.api.post('/api/accounts', { address: `*@${user.domain.domain}` }));
      server = { url: mail.program.baseUrl, key: user.key, domain: '' };
      await client.use(server);
    });
    after(() => client.stop());

    for (const one of cases.filter((one) => !one.without?.includes(language.name)))
      test(one.name, async () => {
        const address = textOf(await client.call('inbox', one.name));
        const [, domain = ''] = address.split('@');
        const ids: number[] = [];
        const filled = (text: string) =>
          text
            .replaceAll('$address', address)
            .replaceAll('$domain', domain)
            .replace(/\$(\d)/g, (_, place) => String(ids[place - 1]));
        for (const { to = address, attachments = [], ...rest } of one.mails) {
          const files = attachments.map(({ filename, base64 }) => ({
            filename,
            content: Buffer.from(base64, 'base64'),
          }));
          ids.push(await deliverOne(mail.program, { ...rest, to: filled(to), attachments: files }));
        }
        for (let more = 0; more < (one.more ?? 0); more += 1)
          await deliverOne(mail.program, { to: address, subject: `More ${more}` });
        const result = await client.call(...one.call.map(filled));
        if (one.error !== undefined) assert.deepEqual(result, { error: filled(one.error) });
        else if (one.base64 !== undefined) assert.equal(bytesOf(result).toString('base64'), one.base64);
        else assert.equal(textOf(result), filled(one.value ?? ''));
      });

    test('a mail that comes while the client waits', async () => {
      const address = textOf(await client.call('inbox', 'later'));
      const waits = client.call('text', 'within=60');
      await deliverOne(mail.program, { to: address, text: 'Here I am' });
      assert.equal(textOf(await waits).trimEnd(), 'Here I am');
    });

    test('a mail that was refused', async () => {
      const address = textOf(await client.call('inbox', 'refused'));
      const reply = '550 5.1.1 Gone "for good"';
      await ok(user.api.post('/api/failures', { match: { address }, stage: 'rcpt', action: 'reply', reply }));
      await assert.rejects(deliverOne(mail.program, { to: address }), /550/);
      assert.deepEqual(await client.call('wait', 'within=1'), {
        error: `No mail to ${address} arrived within 1 s. Arrived instead:\n  refused for ${address}: ${reply}`,
      });
    });

    test('HTML and text beyond what an answer has', async () => {
      const address = textOf(await client.call('inbox', 'long'));
      const long = 'a long line of text\r\n'.repeat(60_000);
      const id = await deliverOne(mail.program, { to: address, html: `<p>${long}</p>`, text: long });
      for (const [word, title] of [
        ['html', 'HTML'],
        ['text', 'text'],
      ] as const)
        assert.deepEqual(await client.call(word), {
          error: `Email ${id} "Hello" has more ${title} than a response can contain: read the raw email instead.`,
        });
    });

    for (const [name, readable] of [
      ['signup', 'signup'],
      [' Sign up! (Ünïcode)_2 ', 'sign-up-n-code-2'],
      ['a'.repeat(39) + '-'.repeat(30), 'a'.repeat(39)],
      ['---', 'test'],
    ] as const)
      test(`an address that begins with ${readable}`, async () => {
        const address = textOf(await client.call('inbox', name));
        assert.match(address, new RegExp(`^${readable}-[0-9a-f]{10}@${user.domain.domain}$`));
      });

    test('the domain that the environment names', async () => {
      const { domain } = await ok(user.api.post('/api/domains', { domain: `given.${user.domain.domain}` }));
      await ok(user.api.post('/api/accounts', { address: `*@${domain}` }));
      await client.use({ ...server, domain });
      const address = textOf(await client.call('inbox', 'a'));
      assert.match(address, new RegExp(`^a-[0-9a-f]{10}@${domain}$`));
    });

    /** Checks the error that a client of a server ends with, at the latest when it waits for an email. */
    async function fails(wrong: Server, error: string) {
      await client.use(wrong);
      const made = await client.call('inbox', 'a');
      const result = 'error' in made ? made : await client.call('wait', 'within=1');
      const told = 'error' in result ? result.error : null;
      // A clock with whole seconds may tick meanwhile.
      assert.equal(told?.replace(/ for \d s:/, ' for 0 s:'), error.replaceAll('$url', wrong.url));
    }

    test('a domain without an account for any address, and one that does not exist', async () => {
      const { key, domain } = await createUser(mail.program);
      await fails(
        { ...server, key },
        `No account at $url receives mail for any address: create one with POST /api/accounts {"address": "*@${domain.domain}"}, or set SANDPOST_DOMAIN.`,
      );
      await fails(
        { ...server, domain: 'given.test' },
        'No account at $url receives mail for any address on given.test: create one with POST /api/domains {"domain": "given.test"} and POST /api/accounts {"address": "*@given.test"}.',
      );
    });

    test('a capture account', async () => {
      const { key, api, account, domain } = await createUser(mail.program);
      await ok(api.patch(`/api/accounts/${account.id}`, { is_capture: true }));
      await client.use({ ...server, key });
      assert.match(textOf(await client.call('inbox', 'a')), new RegExp(`^a-[0-9a-f]{10}@${domain.domain}$`));
    });

    test('a server that is away', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      await client.use({ ...server, url });
      const made = await client.call('inbox', 'a');
      assert.ok('error' in made);
      // Languages whose errors have no separate cause include it in the sentence.
      const [sentence = '', cause] = made.error.split(/(?<=address\.)/);
      assert.equal(sentence, `No Sandpost server answers at ${url}: set SANDPOST_URL to its address.`);
      if (['Go', 'shell'].includes(language.name)) assert.match(cause ?? '', /refused|connect/i);
    });

    test('an address without http://', async () => {
      const url = `127.0.0.1:${await freePort()}`;
      await client.use({ ...server, url });
      const made = await client.call('inbox', 'a');
      assert.ok('error' in made);
      // curl assumes http://.
      const advice =
        language.name === 'shell'
          ? 'set SANDPOST_URL to its address'
          : 'begin the address with http:// or https://';
      assert.ok(made.error.startsWith(`No Sandpost server answers at ${url}: ${advice}.`), made.error);
    });

    test('a wrong key, and none', async () => {
      await fails(
        { ...server, key: `sp_${'A'.repeat(43)}` },
        'SANDPOST_API_KEY is not a valid key for $url.',
      );
      await fails({ ...server, key: '' }, '$url needs an API key: set SANDPOST_API_KEY.');
    });

    for (const [path, [, , , error]] of Object.entries(servers))
      test(`another server: ${path}`, async () => {
        const { port } = other.address() as AddressInfo;
        await fails({ ...server, url: `http://127.0.0.1:${port}${path}` }, error);
      });
  });
}

function bytesOf(result: Result): Buffer {
  if ('error' in result) throw new Error(result.error);
  return result.value;
}

const textOf = (result: Result) => bytesOf(result).toString();
