import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Services } from '#setup/services.ts';
import type { Caller } from './context.ts';
import { portsOf } from './limited-ports.ts';

const ports = { accounts: {}, mailboxes: {}, messages: {}, journal: {}, waits: {}, tags: {}, refusals: {} };
const services = { ...ports, store: {}, rows: {}, teams: {}, clock: 1, retentionDays: 2, added: {} };
const reader = { ...ports, apiKeys: 1, sessions: 2, teams: 3 };
const given = (accountIds: number[] | null) =>
  portsOf(services as unknown as Services, {
    caller: { accountIds } as Caller,
    reader: reader as never,
  });

test('a key without a limit has all ports as they are', () => {
  const { services: found, reader: read } = given(null);
  assert.equal(found, services);
  assert.equal(read, reader);
});

test('a key limited to accounts is refused every service that is not known to be narrow or neutral', () => {
  const { services: found, reader: read } = given([4]);
  const known: Record<string, unknown> = { ...found };
  assert.deepEqual(Object.keys(known).sort(), [...Object.keys(ports), 'clock', 'retentionDays'].sort());
  for (const name of Object.keys(ports))
    assert.notEqual(known[name], ports[name as keyof typeof ports], name);
  for (const name of ['store', 'rows', 'teams', 'added'])
    assert.throws(() => found[name as keyof Services], /limited to accounts/, name);
  assert.notEqual(read.messages, ports.messages);
  assert.notEqual(read.mailboxes, ports.mailboxes);
});
