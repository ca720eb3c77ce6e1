import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { MailEvent } from '#core/events/event.ts';
import { createLocalBus } from './event-bus.ts';

const event: MailEvent = {
  number: 1,
  messageId: 1,
  messageNumber: 1,
  accountId: 1,
  mailboxId: 1,
  at: new Date(0),
  type: 'message.deleted',
};

test('every listener hears each announcement until it stops', () => {
  const bus = createLocalBus();
  const heard: string[] = [];
  const stop = bus.listen((user) => heard.push(`a${user}`));
  bus.listen((user) => heard.push(`b${user}`));
  bus.announce(7, [event]);
  bus.announce(7, []);
  stop();
  bus.announce(8, [event]);
  assert.deepEqual(heard, ['a7', 'b7', 'b8']);
});

test('a listener that throws is reported and harms no other', async () => {
  const bus = createLocalBus();
  const heard: number[] = [];
  bus.listen(() => {
    throw new Error('a broken listener');
  });
  bus.listen((user) => heard.push(user));
  const warned = once(process, 'warning');
  bus.announce(7, [event]);
  assert.deepEqual(heard, [7]);
  assert.match(String((await warned)[0]), /a broken listener/);
});
