import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesInQuota } from '#core/accounts/room.ts';
import type { DeliveryTarget } from './delivery.ts';
import { type AccountState, numbersWanted, type PlanMail, planDelivery } from './plan-delivery.ts';

const envelope = {
  ...{ mailFrom: '', rcptTo: [], helo: null, remoteAddress: null, tls: false, receivedBy: '' },
};
const inbox = { id: 11, pathKey: 'inbox' };
const sent = { id: 12, pathKey: 'sent' };
const old = { id: 13, pathKey: 'old' };
const at = new Date();

function state(words: Partial<AccountState> = {}): AccountState {
  const room = { storageLimit: 100, usedBytes: 0, messages: 0 };
  return { id: 1, owner: 7, active: true, ...room, mailboxes: [inbox, sent, old], mailboxCount: 3, ...words };
}

function target(mailbox: DeliveryTarget['mailbox'] = 'INBOX', words: Partial<DeliveryTarget> = {}) {
  const to = { deliveredTo: 'a@x.test', tag: null, envelope };
  return { owner: 7, accountId: 1, mailbox, ...to, ...words };
}

const restoredFlags = { isRead: false, isFlagged: true, expiresAt: at, autoDelete: false, copy: true };
const restored = (id: number) => target({ id, ...restoredFlags });
const other = { owner: 8, accountId: 2 };
const others = state({ id: 2, owner: 8, mailboxes: [{ id: 21, pathKey: 'inbox' }] });

let lastId = 0;
function mail(sizeBytes: number, ...targets: DeliveryTarget[]): PlanMail {
  return mailWith(0, sizeBytes, ...targets);
}

/** Email with `keptBytes` in addition to its body. */
function mailWith(keptBytes: number, sizeBytes: number, ...targets: DeliveryTarget[]): PlanMail {
  const countedBytes = bytesInQuota(sizeBytes, keptBytes);
  return {
    ids: targets.map(() => ++lastId),
    sizeBytes,
    subject: 'hello',
    targets: targets.map((target) => ({ ...target, countedBytes })),
  };
}

const grouped = (group: number, ...words: Parameters<typeof mail>): PlanMail => ({
  ...mail(...words),
  group,
});

function plan(mails: PlanMail[], accounts: AccountState[], newest: [number, number][] = []) {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const state = { accounts: byId, newest: new Map(newest), rules: new Map(), newMailboxes: [] };
  return planDelivery(mails, state, at);
}

test('a mail is refused for the first target that is gone, inactive or without room', () => {
  const refused = (reason: 'gone' | 'inactive' | 'no-room') => ({ reason, address: 'a@x.test' });
  /** Mailboxes of each email's messages, or its refusal. */
  const cases: [string, AccountState | null, PlanMail[], unknown[]][] = [
    ['room', state(), [mail(100, target())], [[11]]],
    ['one byte too many', state(), [mail(101, target())], [refused('no-room')]],
    ['full, and an empty mail', state({ usedBytes: 100 }), [mail(0, target())], [refused('no-room')]],
    [
      'bytes of one mail are missing for the next',
      state(),
      [mail(60, target()), mail(60, target()), mail(40, target())],
      [[11], refused('no-room'), [11]],
    ],
    [
      'two messages in one account take twice the room',
      state(),
      [mail(60, target(), target('Sent')), mail(50, target(), target('Sent'))],
      [refused('no-room'), [11, 12]],
    ],
    ['an ordinary envelope does not count', state(), [mailWith(2048, 100, target())], [[11]]],
    ['a long one does', state(), [mailWith(2049, 100, target())], [refused('no-room')]],
    [
      'the 1,001st message takes at least 1 KiB',
      state({ messages: 999 }),
      [mail(1, target()), mail(1, target())],
      [[11], refused('no-room')],
    ],
    [
      'a group of which one does not fit, beside others',
      state(),
      [mail(50, target()), grouped(1, 30, target()), grouped(1, 30, target()), grouped(2, 30, target())],
      [[11], refused('no-room'), refused('no-room'), [11]],
    ],
    [
      'a group that fits to the byte',
      state(),
      [grouped(1, 50, target()), grouped(1, 50, target('Sent'))],
      [[11], [12]],
    ],
    ['no account', null, [mail(1, target())], [refused('gone')]],
    ['moved to another team', state(), [mail(1, target('INBOX', { owner: 8 }))], [refused('inactive')]],
    ['inactive', state({ active: false }), [mail(1, target())], [refused('inactive')]],
    ['no such mailbox', state({ mailboxes: [sent] }), [mail(1, target())], [refused('gone')]],
    ['a mailbox by its id', state(), [mail(1, restored(13))], [[13]]],
    ['no mailbox of that id', state(), [mail(1, restored(14))], [refused('gone')]],
    [
      'one bad target of two',
      state(),
      [mail(1, target(), target('INBOX', { accountId: 5, deliveredTo: 'b@x.test' }))],
      [{ reason: 'gone', address: 'b@x.test' }],
    ],
  ];
  for (const [name, account, mails, expected] of cases) {
    const { verdicts, messages } = plan(mails, account === null ? [] : [account]);
    const found = verdicts.map((verdict, index) => {
      if ('reason' in verdict) return verdict;
      assert.equal(verdict.ids, mails[index]?.ids, name);
      return messages.filter((message) => message.mail === mails[index]).map(({ mailboxId }) => mailboxId);
    });
    assert.deepEqual(found, expected, name);
  }
});

test('numbers follow the order of the batch, and received messages alone have events', () => {
  /** Message numbers, event numbers, and the newest numbers afterward. */
  const cases: [string, PlanMail[], [number, number][], number[], number[], [number, number][]][] = [
    ['the first of a user', [mail(1, target())], [], [1], [1], [[7, 1]]],
    ['one after the other', [mail(1, target()), mail(1, target())], [[7, 4]], [5, 6], [5, 6], [[7, 6]]],
    [
      'a copy in Sent shares the number of the first received message',
      [mail(1, target(), target(), target('Sent'))],
      [[7, 4]],
      [5, 6, 5],
      [5, 6],
      [[7, 6]],
    ],
    ['a copy alone takes the newest number', [mail(1, target('Sent'))], [[7, 4]], [4], [], [[7, 4]]],
    ['a restored message has a number without event', [mail(1, restored(13))], [[7, 4]], [5], [], [[7, 5]]],
    [
      'a refused group takes none',
      [grouped(1, 1, target()), grouped(1, 101, target()), mail(1, target())],
      [[7, 4]],
      [5],
      [5],
      [[7, 5]],
    ],
    ['a refused mail takes none', [mail(101, target()), mail(1, target())], [[7, 4]], [5], [5], [[7, 5]]],
    [
      'each user counts by itself',
      [mail(1, target('INBOX', other), target())],
      [
        [7, 4],
        [8, 9],
      ],
      [10, 5],
      [5, 10],
      [
        [7, 5],
        [8, 10],
      ],
    ],
  ];
  for (const [name, mails, newest, numbers, events, after] of cases) {
    const found = plan(mails, [state(), others], newest);
    const told = found.verdicts.flatMap((verdict) => ('commits' in verdict ? verdict.commits : []));
    assert.deepEqual(
      [
        found.messages.map(({ number }) => number),
        told.flatMap((commit) => commit.events.map(({ number }) => number)),
        [...found.newest],
      ],
      [numbers, events, after],
      name,
    );
    const most = numbersWanted(mails);
    for (const [owner, number] of after) {
      const before = new Map(newest).get(owner) ?? 0;
      assert.ok(number - before <= (most.get(owner) ?? 0), `${name}: within the numbers wanted`);
    }
  }
});

test('commits are one a user, in ascending order, with the ids of that user', () => {
  const sentToBoth = mail(1, target('INBOX', other), target(), target('Sent'));
  const [first, second, third] = sentToBoth.ids;
  const [verdict] = plan([sentToBoth], [state(), others]).verdicts;
  assert.ok(verdict && 'commits' in verdict);
  assert.deepEqual(
    verdict.commits.map(({ owner, result }) => [owner, result]),
    [
      [7, [second, third]],
      [8, [first]],
    ],
  );
  const where = { messageId: second, messageNumber: 1, accountId: 1, mailboxId: 11 };
  assert.deepEqual(verdict.commits[0]?.events, [
    { number: 1, type: 'message.received', ...where, at, subject: 'hello' },
  ]);
});

test('flags, counts and bytes of new messages', () => {
  const unread = { isRead: false, isFlagged: false, expiresAt: null, autoDelete: true, copy: false };
  const mails = [mail(10, target(), target('Sent')), mail(5, target()), mail(1, restored(13))];
  const { messages, counts, charges } = plan(mails, [state()]);
  assert.deepEqual(
    messages.map(({ flags, sentCopy }) => [flags, sentCopy]),
    [
      [unread, false],
      [{ ...unread, isRead: true, copy: true }, true],
      [unread, false],
      [restoredFlags, false],
    ],
  );
  assert.deepEqual(
    [...counts],
    [
      [11, { total: 2, unread: 2, bytes: 15, sentCopies: 0 }],
      [12, { total: 1, unread: 0, bytes: 10, sentCopies: 1 }],
      [13, { total: 1, unread: 1, bytes: 1, sentCopies: 0 }],
    ],
  );
  assert.deepEqual([...charges], [[1, { bytes: 26, messages: 4 }]]);
});

test('bytes beside the body count beyond those of an ordinary mail, in the account and in its mailbox', () => {
  const cases: [kept: number, bytes: number][] = [
    [0, 10],
    [2048, 10],
    [2049, 11],
    [70_000, 67_962],
  ];
  for (const [kept, bytes] of cases) {
    const { counts, charges } = plan([mailWith(kept, 10, target())], [state({ storageLimit: 100_000 })]);
    assert.deepEqual([...charges], [[1, { bytes, messages: 1 }]], `${kept}`);
    assert.equal(counts.get(11)?.bytes, bytes, `${kept}`);
  }
});

test('an account needs a free byte for an empty mail', () => {
  assert.deepEqual([...plan([mail(0, target())], [state()]).charges], [[1, { bytes: 0, messages: 1 }]]);
  const batch = [mail(10, target()), mail(0, target()), mail(0, target())];
  assert.deepEqual([...plan(batch, [state()]).charges], [[1, { bytes: 10, messages: 3 }]]);
});
