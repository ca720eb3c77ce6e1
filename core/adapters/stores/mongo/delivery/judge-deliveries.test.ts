import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import { type AccountState, judgeDeliveries } from './judge-deliveries.ts';

const envelope = {
  ...{ mailFrom: '', rcptTo: [], helo: null, remoteAddress: null, tls: false, receivedBy: '' },
};
const inbox = { id: 11, pathKey: 'inbox' };
const sent = { id: 12, pathKey: 'sent' };
const old = { id: 13, pathKey: 'old' };

function state(words: Partial<AccountState> = {}): AccountState {
  const room = { storageLimit: 100, usedBytes: 0 };
  return { id: 1, owner: 7, active: true, threaded: false, ...room, mailboxes: [inbox, sent, old], ...words };
}

function target(mailbox: DeliveryTarget['mailbox'] = 'INBOX', words: Partial<DeliveryTarget> = {}) {
  const to = { deliveredTo: 'a@x.test', tag: null, envelope };
  return { owner: 7, accountId: 1, mailbox, ...to, ...words };
}

const flags = { isRead: false, isFlagged: false, expiresAt: null, autoDelete: true, copy: false };

test('what each mail of a batch meets', () => {
  const taken = { places: [inbox] };
  const refused = (reason: 'gone' | 'inactive' | 'no-room') => ({ reason, address: 'a@x.test' });
  const mail = (sizeBytes: number, ...targets: DeliveryTarget[]) => ({ sizeBytes, targets });
  const cases: [string, AccountState | null, ReturnType<typeof mail>[], unknown[]][] = [
    ['room', state(), [mail(100, target())], [taken]],
    ['one byte too many', state(), [mail(101, target())], [refused('no-room')]],
    ['full, and an empty mail', state({ usedBytes: 100 }), [mail(0, target())], [refused('no-room')]],
    [
      'what one takes the next has not',
      state(),
      [mail(60, target()), mail(60, target()), mail(40, target())],
      [taken, refused('no-room'), taken],
    ],
    [
      'two messages in one account take twice the room',
      state(),
      [mail(60, target(), target('Sent')), mail(50, target(), target('Sent'))],
      [refused('no-room'), { places: [inbox, sent] }],
    ],
    ['no account', null, [mail(1, target())], [refused('gone')]],
    ["another's account", state(), [mail(1, target('INBOX', { owner: 8 }))], [refused('gone')]],
    ['inactive', state({ active: false }), [mail(1, target())], [refused('inactive')]],
    ['no such mailbox', state({ mailboxes: [sent] }), [mail(1, target())], [refused('gone')]],
    ['a mailbox by its id', state(), [mail(1, target({ id: 13, ...flags }))], [{ places: [old] }]],
    ['no mailbox of that id', state(), [mail(1, target({ id: 14, ...flags }))], [refused('gone')]],
  ];
  for (const [name, account, mails, expected] of cases) {
    const accounts = new Map(account === null ? [] : [[account.id, account]]);
    assert.deepEqual(judgeDeliveries(mails, accounts), expected, name);
  }
});
