import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, Domain, Mailbox } from '../client/shapes.ts';
import { allMail } from '../place-url.ts';
import { branches, inOrder } from './branches.ts';

const box = (id: number, path: string, unread = 0, isSystem = true) =>
  ({ id, path, isSystem, totalUnreadMessages: unread }) as Mailbox;
const account = (id: number, domain_id: number, address: string, mailboxes: Mailbox[]) =>
  ({ id, domain_id, address, mailboxes }) as Account;
const domains = [
  { id: 2, domain: 'b.test' },
  { id: 1, domain: 'a.test' },
] as Domain[];
const accounts = [
  account(5, 1, 'qa@a.test', [box(20, 'Sent'), box(21, 'INBOX', 3), box(22, 'Zed', 1, false)]),
  account(6, 1, '*@a.test', [box(30, 'INBOX', 2)]),
];
const drawn = (isOpen: (key: string) => boolean) =>
  branches(domains, accounts, isOpen).map(
    ({ level, name, unread }) => `${'  '.repeat(level - 1)}${name} ${unread}`,
  );

test('open lines list their children, with unread counts', () => {
  assert.deepEqual(
    drawn(() => true),
    [
      'All mail 6',
      'Refused 0',
      'a.test 0',
      '  any address 0',
      '    Inbox 2',
      '  qa 0',
      '    Inbox 3',
      '    Sent 0',
      '    Zed 1',
      'b.test 0',
    ],
  );
});

test('a closed line shows the sum of the unread counts below it', () => {
  assert.deepEqual(
    drawn(() => false),
    ['All mail 6', 'Refused 0', 'a.test 6', 'b.test 0'],
  );
  assert.deepEqual(
    drawn((key) => key === 'domain-1'),
    ['All mail 6', 'Refused 0', 'a.test 0', '  any address 2', '  qa 4', 'b.test 0'],
  );
});

test('an account leads to its inbox, and a domain without accounts does not open', () => {
  const rows = branches(domains, accounts, () => true);
  assert.deepEqual(rows.find(({ key }) => key === 'account-5')?.to, { ...allMail, account: 5, mailbox: 21 });
  assert.equal(rows.at(-1)?.open, null);
});

test('a single account that receives mail for any address is all mail, until another mailbox is made or used', () => {
  const names = (kind: object, ...mailboxes: Mailbox[]) => {
    const one = { ...account(5, 1, 'inbox@a.test', [box(21, 'INBOX', 3), ...mailboxes]), ...kind };
    return branches(domains.slice(1), [one], () => true).map(({ name }) => name);
  };
  const [sent, trash] = [
    { ...box(22, 'Sent'), totalMessages: 1 },
    { ...box(23, 'Trash'), totalMessages: 0 },
  ];
  for (const kind of [{ is_capture: true }, { is_catch_all: true }])
    assert.deepEqual(names(kind, sent, trash), ['All mail', 'Refused']);
  const capture = { ...account(5, 1, 'inbox@a.test', [box(21, 'INBOX'), { ...trash }]), is_capture: true };
  const shown = (id: number) => branches([], [capture], () => true, 0, id).map(({ name }) => name);
  assert.deepEqual(
    [shown(21), shown(23)],
    [
      ['All mail', 'Refused'],
      ['All mail', 'Refused', 'Trash'],
    ],
  );
  const whole = ['All mail', 'Refused', 'a.test', 'inbox', 'Inbox', 'Trash'];
  assert.deepEqual(names({ is_capture: true }, { ...trash, totalMessages: 1 }), whole);
  assert.deepEqual(names({}, trash), whole);
  const own = { ...box(24, 'Own', 0, false), totalMessages: 0 };
  assert.deepEqual(names({ is_capture: true }, own).slice(-2), ['Inbox', 'Own']);
});

test('accounts whose domains may not be read stand below the names of these', () => {
  const names = branches([], accounts, () => false).map(({ name }) => name);
  assert.deepEqual(names, ['All mail', 'Refused', 'a.test']);
});

test("the user's mailboxes follow the system's, by name", () => {
  const boxes = [
    box(1, 'b', 0, false),
    box(2, 'Trash'),
    box(3, 'INBOX'),
    box(4, 'a', 0, false),
    box(5, 'Drafts'),
  ];
  const paths = inOrder(boxes).map(({ path }) => path);
  assert.deepEqual(paths, ['INBOX', 'Drafts', 'Trash', 'a', 'b']);
});
