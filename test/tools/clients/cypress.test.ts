import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import type { Process } from '#test/support/program/process.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { devOfAll } from '#test/support/program/scene.ts';

/**
 * Stand-in for Cypress, whose package downloads a program that is not always available. As in Cypress, chainables are not promises,
 * `cy.request` parses only JSON of type `application/json`, and its bytes are characters in the encoding `binary`.
 */
class Chainable {
  readonly settled: Promise<unknown>;

  constructor(settled: Promise<unknown>) {
    this.settled = settled;
  }

  // biome-ignore lint/suspicious/noThenProperty: chainables of Cypress have it
  then(next: (value: never) => unknown): Chainable {
    return new Chainable(
      this.settled.then(async (value) => {
        const result = next(value as never);
        return result instanceof Chainable ? result.settled : result;
      }),
    );
  }
}

type Asked = { method: string; url: string; headers: Record<string, string>; encoding: BufferEncoding };

async function answerTo({ method, url, headers, encoding }: Asked) {
  const response = await fetch(url, { method, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type') === 'application/json';
  const body = isJson ? JSON.parse(bytes.toString()) : bytes.toString(encoding);
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

type Command = (...args: never[]) => Chainable;
const commands: Record<string, Command> = {};
const command = (name: string, ...args: unknown[]) => {
  const called = commands[name] ?? assert.fail(`there is no command ${name}`);
  return called(...(args as never[])).settled;
};

type Mail = { code(): string; link(): string; attachment(pattern: string): Chainable; raw(): Chainable };

let dev: Process;
before(async () => {
  dev = await devOfAll();
  const settings = { SANDPOST_URL: `http://127.0.0.1:${dev.ports.http}` };
  Object.assign(globalThis, {
    cy: {
      request: (asked: Asked) => new Chainable(answerTo(asked)),
      wrap: (value: unknown) => new Chainable(Promise.resolve(value)),
    },
    Cypress: {
      env: () => settings,
      currentTest: { title: 'Signs up (twice)' },
      Commands: {
        add(name: string, added: Command) {
          commands[name] = added;
        },
      },
    },
  });
  await import('#clients/javascript/cypress.js');
});

const send = (to: string, more: object = {}) =>
  deliver({ smtpPort: dev.ports.smtp }, { to, subject: 'Welcome', text: 'Your code is 493817.', ...more });

test('commands make an address, wait for its mail, and read its code and attachment', async () => {
  assert.deepEqual(Object.keys(commands), ['inbox', 'waitForMail', 'expectNoMail']);
  const inbox = (await command('inbox')) as { address: string };
  assert.match(inbox.address, /^signs-up-twice-[0-9a-f]{10}@sandpost\.test$/);
  const pdf = randomBytes(1000);
  await send(inbox.address, { attachments: [{ filename: 'invoice.pdf', content: pdf }] });
  const mail = (await command('waitForMail', inbox, { subject: /^welcome$/i })) as Mail;
  assert.equal(mail.code(), '493817');
  const read = (await mail.attachment('*.pdf').settled) as Uint8Array;
  assert.deepEqual(Buffer.from(read), pdf);
  const raw = (await mail.raw().settled) as Uint8Array;
  assert.match(Buffer.from(raw).toString(), /^Subject: Welcome\r$/m);
});

test('a command fails with the sentence of the client', async () => {
  const inbox = (await command('inbox', 'quiet')) as { address: string };
  assert.equal(await command('expectNoMail', inbox, { within: 0 }), undefined);
  const [id] = await send(inbox.address);
  await assert.rejects(command('expectNoMail', inbox, { within: 0 }), {
    message: `Mail to ${inbox.address} arrived, but none was expected:\n  email ${id} "Welcome"`,
  });
  await assert.rejects(command('waitForMail', inbox, { subject: /reset/ }, { within: 0 }), {
    message: `No mail to ${inbox.address} with subject /reset/ arrived within 0 s. Arrived instead:\n  email ${id} "Welcome" to ${inbox.address} (differs in subject)`,
  });
});
