import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ruling } from '#core/rules/ruling.ts';
import { type AccountState, type PlanMail, planDelivery } from './plan-delivery.ts';

const at = new Date('2026-11-25T10:00:00Z');
const later = new Date('2026-11-25T11:00:00Z');
const inbox = { id: 11, pathKey: 'inbox' };
const account: AccountState = {
  ...{ id: 1, owner: 7, active: true, storageLimit: 100, usedBytes: 0, messages: 0 },
  ...{ mailboxes: [inbox, { id: 12, pathKey: 'sent' }, { id: 13, pathKey: 'old' }], mailboxCount: 6 },
};
const nothing: Ruling = {
  ...{ rules: [], tags: [], mailbox: null, isFlagged: false, isRead: false, expiresAt: null },
  discardedBy: null,
};
const gone = { rules: [5], discardedBy: 5 };

type Target = PlanMail['targets'][number];
type Words = Partial<Omit<Target, 'ruled'>> & { ruling?: Partial<Ruling>; version?: number };

/** Target of account 1 to which rules of version 3 were applied. */
function target({ ruling = {}, version = 3, ...words }: Words = {}): Target {
  const place = {
    owner: 7,
    accountId: 1,
    mailbox: 'INBOX',
    deliveredTo: 'a@x.test',
    countedBytes: 40,
  } as const;
  return { ...place, ...words, ruled: { version, ruling: { ...nothing, ...ruling } } };
}

let lastId = 0;
const mail = (...targets: Target[]): PlanMail => ({
  ...{ ids: targets.map(() => ++lastId), sizeBytes: 40, subject: 'hello', targets },
});

function plan(mails: PlanMail[], words: Partial<AccountState> = {}) {
  const state = {
    accounts: new Map([[1, { ...account, ...words }]]),
    newest: new Map([[7, 20]]),
    rules: new Map([[7, 3]]),
    newMailboxes: [91, 92, 93],
  };
  return planDelivery(mails, state, at);
}

const placesOf = ({ messages }: ReturnType<typeof plan>) => messages.map(({ mailboxId }) => mailboxId);

test('a mail whose rules were applied in another version is refused, with its group', () => {
  const { ruled: _, ...unruled } = target();
  const refused = { reason: 'new-rules', address: 'a@x.test' };
  const cases: [string, PlanMail[], unknown[]][] = [
    ['an older version', [mail(target({ version: 2 }))], [refused]],
    ['rules that the process did not know', [mail(unruled)], [refused]],
    ['a discarded mail', [mail(target({ version: 2, ruling: gone }))], [refused]],
    [
      'one of a group',
      [1, 2].map((n) => ({ ...mail(target({ version: n + 1 })), group: 1 })),
      [refused, refused],
    ],
  ];
  for (const [name, mails, expected] of cases) {
    const { verdicts, messages, ruleCounts } = plan(mails);
    assert.deepEqual([verdicts, messages, [...ruleCounts]], [expected, [], []], name);
  }
});

test('rules say nothing of a copy in Sent, whatever their version', () => {
  const { ruled: _, ...copy } = target({ mailbox: 'Sent' });
  const received = target({ ruling: { isFlagged: true } });
  const { messages } = plan([mail(received, copy)]);
  assert.deepEqual(
    messages.map(({ mailboxId, flags }) => [mailboxId, flags.isRead, flags.isFlagged]),
    [
      [11, false, true],
      [12, true, false],
    ],
  );
});

test('a ruling gives a message its flags, its expiry and its mailbox, and the event names that', () => {
  const ruling = { rules: [5, 6], isRead: true, isFlagged: true, expiresAt: later, mailbox: 'OLD' };
  const { messages, verdicts, counts, ruleCounts, mailboxes } = plan([mail(target({ ruling }))]);
  assert.deepEqual(messages[0]?.flags, {
    ...{ isRead: true, isFlagged: true, expiresAt: later, autoDelete: true, copy: false },
  });
  assert.ok(verdicts[0] !== undefined && 'ids' in verdicts[0]);
  assert.equal(verdicts[0].commits[0]?.events[0]?.mailboxId, 13);
  assert.equal(counts.get(13)?.unread, 0);
  assert.deepEqual(
    [...ruleCounts],
    [
      [5, { matched: 1, discarded: 0 }],
      [6, { matched: 1, discarded: 0 }],
    ],
  );
  assert.deepEqual(mailboxes, []);
});

test('a mailbox that an account lacks is made once in a batch, up to the quota', () => {
  const to = (mailbox: string) => mail(target({ ruling: { mailbox } }));
  const cases: [string, PlanMail[], Partial<AccountState>, number[], string[]][] = [
    ['made', [to('New')], {}, [91], ['New']],
    ['made once', [to('New'), to('NEW')], {}, [91, 91], ['New']],
    ['two', [to('New'), to('Newer')], {}, [91, 92], ['New', 'Newer']],
    ['the last', [to('New'), to('Newer')], { mailboxCount: 99 }, [91, 11], ['New']],
    ['none beyond the quota', [to('New'), to('old')], { mailboxCount: 100 }, [11, 13], []],
    ['none for a mail without room', [to('New')], { usedBytes: 70 }, [], []],
  ];
  for (const [name, mails, words, places, made] of cases) {
    const planned = plan(mails, words);
    assert.deepEqual(placesOf(planned), places, name);
    const paths = planned.mailboxes.map(({ mailbox, owner }) => [mailbox.path, mailbox.accountId, owner]);
    assert.deepEqual(
      paths,
      made.map((path) => [path, 1, 7]),
      name,
    );
  }
});

test('a discarded message has no id, number, bytes or event, and is counted', () => {
  const first = mail(target({ ruling: gone }), target({ ruling: { rules: [6] } }));
  const second = mail(target({ ruling: gone }));
  const { verdicts, messages, charges, newest, ruleCounts } = plan([first, second], { usedBytes: 60 });
  const [kept, none] = verdicts;
  assert.ok(kept && none && 'ids' in kept && 'ids' in none);
  assert.deepEqual([kept.ids, none.ids, none.commits], [[first.ids[1]], [], []]);
  assert.deepEqual(
    messages.map(({ id, number }) => [id, number]),
    [[first.ids[1], 21]],
  );
  assert.deepEqual(messages[0]?.mail.ids, kept.ids, 'the ids that share the body');
  assert.deepEqual([...charges], [[1, { bytes: 40, messages: 1 }]]);
  assert.deepEqual([...newest], [[7, 21]]);
  assert.deepEqual(
    [...ruleCounts],
    [
      [5, { matched: 2, discarded: 2 }],
      [6, { matched: 1, discarded: 0 }],
    ],
  );
});

test('a full account accepts what is discarded, and rules of a refused mail are not counted', () => {
  const { verdicts, ruleCounts } = plan(
    [mail(target({ ruling: gone })), mail(target({ ruling: { rules: [6] } }))],
    { usedBytes: 100 },
  );
  assert.deepEqual(verdicts, [
    { ids: [], commits: [] },
    { reason: 'no-room', address: 'a@x.test' },
  ]);
  assert.deepEqual([...ruleCounts], [[5, { matched: 1, discarded: 1 }]]);
});
