import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts } from '#core/change.ts';
import { addMailbox, removeMailbox, renameMailbox } from './change-mailboxes.ts';
import type { Mailbox } from './mailbox.ts';

const now = new Date(1000);
const mailbox = (id: number, path: string, system = false): Mailbox => ({
  ...{ id, accountId: 7, path, system, total: 0, unread: 0, createdAt: now },
});
const own = mailbox(2, 'Été');
const mailboxes = [mailbox(1, 'INBOX', true), own, mailbox(3, 'Old')];
const facts = (more: Partial<Facts> = {}) =>
  ({ newMailbox: 9, account: { id: 7, owner: 3 }, mailboxes, ...more }) as Facts;

const place = { team: 3, account: 7 };
const add = (path: string, more: Partial<Facts> = {}, quota = 4) =>
  addMailbox.plan(facts(more), { ...place, path, quota, now });
const rename = (id: number, path: string) => renameMailbox.plan(facts(), { ...place, mailbox: id, path });
const remove = (id: number) => removeMailbox.plan(facts(), { ...place, mailbox: id, now });

const refusals: [string, () => unknown, RegExp][] = [
  ['no path', () => add(''), /must have 1 to 255 characters/],
  ['a control character', () => add('a\nb'), /must not contain control characters/],
  ['a slash at the end', () => add('a/'), /must not begin or end with/],
  ['an account that is not there', () => add('New', { account: null }), /NotFound/],
  ['one too many', () => add('New', {}, 3), /the limit of 3 mailboxes has been reached/],
  ['a path that is taken but for its case', () => add('inbox'), /already has a mailbox inbox/],
  ['a path of another', () => rename(2, 'OLD'), /already has a mailbox OLD/],
  [
    'another name of a system mailbox',
    () => rename(1, 'In'),
    /INBOX is a system mailbox and cannot be renamed/,
  ],
  ['another name of what is not there', () => rename(4, 'In'), /NotFound/],
  ['the end of a system mailbox', () => remove(1), /cannot be deleted/],
];

for (const [name, plan, message] of refusals)
  test(`a mailbox: ${name} is refused`, () => assert.throws(plan, message));

test('a mailbox is added, renamed in case alone, and deleted', () => {
  assert.deepEqual(add('New').writes, [{ do: 'add-mailbox', mailbox: mailbox(9, 'New'), owner: 3 }]);
  assert.deepEqual(rename(2, 'ÉTÉ').result, { ...own, path: 'ÉTÉ' });
  assert.deepEqual(remove(2).writes, [{ do: 'delete-mailbox', mailbox: 2, account: 7, now }]);
});
