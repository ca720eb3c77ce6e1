import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { MailEvent } from '#core/events/event.ts';
import type { FeedReader } from '#core/events/feed.ts';
import type { Services } from '#core/services.ts';
import type { Caller, Ctx } from './context.ts';
import { EventStreams } from './event-stream.ts';

const caller: Caller = {
  id: 1,
  email: 'a@b.test',
  createdAt: new Date(0),
  credential: { key: `sp_${'A'.repeat(43)}` },
};
/** What waits for an event that never comes ends with an error. */
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

/** One stream over a real connection, whose feed is in the test's hand. */
async function openStream() {
  let reader: FeedReader | undefined;
  let response: ServerResponse | undefined;
  const state = { following: 0, valid: true };
  const key = { id: 1, name: '', prefix: '', createdAt: new Date(0), lastUsedAt: new Date() };
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
    apiKeys: { findByHash: async () => (state.valid ? { key, user: caller } : null), touch: async () => {} },
    clock: () => new Date(),
    metrics: { eventStreams: { inc() {}, dec() {} } },
  } as unknown as Services;
  const streams = new EventStreams(services);
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
  const close = () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
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
  assert.ok(most > 1024 * 1024 && most < 1.1 * 1024 * 1024, `${most} bytes waited`);
  if (!response.closed) await once(response, 'close');
  assert.equal(state.following, 0);
  close();
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
  close();
});

test(
  'a comment every 15 s; the stream of a credential that holds no longer ends with it',
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
      close();
    } finally {
      mock.timers.reset();
    }
  },
);
