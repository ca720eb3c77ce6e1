import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { MailEvent } from '#core/events/event.ts';
import type { FeedReader } from '#core/events/feed.ts';
import type { Services } from '#setup/services.ts';
import type { Caller, Ctx } from './context.ts';
import { CredentialWatch } from './credential-watch.ts';
import { EventStreams } from './event-stream.ts';

const caller: Caller = {
  userId: 1,
  keyId: 1,
  user: { id: 1, email: 'a@b.test', createdAt: new Date(0) },
  team: 1,
  role: 'owner',
  scope: 'full',
  accountIds: null,
  expiresAt: null,
  credential: { key: `sp_${'A'.repeat(43)}` },
  keyName: 'k',
};
/** Timeout in ms for tests that wait for an event that may never arrive. */
const bounded = { timeout: 30_000 };
const everything = { types: ['message.received' as const], accountId: null, mailboxId: null };

const event = (number: number, subject: string): MailEvent => ({
  number,
  messageId: number,
  messageNumber: number,
  accountId: 1,
  mailboxId: 1,
  at: new Date(0),
  type: 'message.received',
  subject,
});

/** Opens one stream over a real connection. The test controls its feed. */
async function openStream() {
  let reader: FeedReader | undefined;
  let response: ServerResponse | undefined;
  const state = { following: 0, valid: true, looking: Promise.resolve() };
  const services = {
    feed: {
      follow(_user: number, _after: number, given: FeedReader) {
        reader = given;
        state.following += 1;
        return {
          stop() {
            state.following -= 1;
          },
        };
      },
    },
    journal: { heads: async () => new Map() },
    metrics: { eventStreams: { inc() {}, dec() {} }, limitReached() {} },
  } as unknown as Services;
  const credentials = new CredentialWatch(
    async () => {
      await state.looking;
      return state.valid;
    },
    async () => {},
  );
  const streams = new EventStreams(services, credentials);
  const server = createServer((req, res) => {
    response = res;
    const set = (fields: Record<string, string>) => {
      for (const [name, value] of Object.entries(fields)) res.setHeader(name, value);
    };
    void streams.stream({ req, res, set, method: 'GET' } as unknown as Ctx, caller, everything, null);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [client] = (await once(
    get({ port: (server.address() as AddressInfo).port, agent: false }),
    'response',
  )) as [IncomingMessage];
  client.on('error', () => {});
  assert.ok(reader && response);
  /** Closes the connection. Resolves when the stream has cleared its timer: a real timer must not be cleared while timers are mocked. */
  const close = async () => {
    const closed = response?.closed ? null : once(response as ServerResponse, 'close');
    client.destroy();
    credentials.close();
    server.closeAllConnections();
    server.close();
    await closed;
  };
  return { reader, response, client, state, close };
}

test('a client that does not read is cut at 1 MiB of backlog, and followed no longer', bounded, async () => {
  const { reader, response, state, close } = await openStream();
  let number = 0;
  const subject = 'x'.repeat(10_000);
  let most = 0;
  while (!response.destroyed) {
    number += 1;
    assert.ok(number < 5000, 'it was never cut');
    void reader.onEvents([event(number, subject)]);
    most = Math.max(most, response.writableLength);
    await turn();
  }
  assert.ok(most > 0.9 * 1024 * 1024 && most <= 1024 * 1024, `${most} bytes waited`);
  if (!response.closed) await once(response, 'close');
  assert.equal(state.following, 0);
  await close();
});

test('a replay waits for a slow client, and ends its wait when the client goes', bounded, async () => {
  const { reader, client, close } = await openStream();
  const page = Array.from({ length: 500 }, (_, index) => event(index + 1, 'x'.repeat(10_000)));
  const first = reader.onEvents(page);
  assert.ok(first instanceof Promise, 'a page of 5 MB does not fit into the connection');
  client.resume();
  await first;
  client.pause();
  const second = reader.onEvents(page);
  client.destroy();
  await second;
  await close();
});

test(
  'a comment is sent every 15 s, and the stream of a credential that has ended is closed',
  bounded,
  async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      const { client, state, close } = await openStream();
      client.setEncoding('utf8');
      let text = '';
      client.on('data', (piece: string) => {
        text += piece;
      });
      for (let beats = 1; beats <= 3; beats += 1) {
        mock.timers.tick(15_000);
        while (text.split(': still here\n\n').length - 1 < beats) await once(client, 'data');
      }
      state.valid = false;
      mock.timers.tick(15_000);
      await once(client, 'end');
      await close();
    } finally {
      mock.timers.reset();
    }
  },
);

test('mail that came after the end of the credential is not sent', bounded, async () => {
  const { reader, client, state, close } = await openStream();
  client.setEncoding('utf8');
  let text = '';
  client.on('data', (piece: string) => {
    text += piece;
  });
  await reader.onEvents([event(1, 'before')]);
  state.valid = false;
  void reader.onEvents([event(2, 'after')]);
  await once(client, 'end');
  assert.ok(text.includes('before') && !text.includes('after'), text);
  await close();
});

test('events that come during a check wait for the next one, in order', bounded, async () => {
  const { reader, client, state, close } = await openStream();
  client.setEncoding('utf8');
  let text = '';
  client.on('data', (piece: string) => {
    text += piece;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  state.looking = promise;
  void reader.onEvents([event(1, 'one')]);
  for (let index = 0; index < 3; index += 1) await turn();
  void reader.onEvents([event(2, 'two')]);
  void reader.onEvents([event(3, 'three')]);
  resolve();
  while (!text.includes('three')) await once(client, 'data');
  assert.deepEqual(text.match(/^id: .*$/gm), ['id: 1', 'id: 2', 'id: 3']);
  await close();
});
