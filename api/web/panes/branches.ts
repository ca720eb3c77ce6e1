import { signal } from '@preact/signals';
import type { Account, Domain, Mailbox } from '../client/shapes.ts';
import type { IconName } from '../parts/icon.tsx';
import { allMail, type MailPlace, type RefusedPlace } from '../place-url.ts';

/** Line of the tree. `level` starts at 1. `open` is null if the line has no children. */
export type Branch = {
  key: string;
  level: number;
  name: string;
  /** Stored name, if a different name is shown. */
  title?: string;
  icon: IconName | null;
  unread: number;
  /** Number of refusals. Set only in the line for refused mail. */
  refused?: number;
  open: boolean | null;
  /** Place to which the line leads. Null for a domain, which only opens and closes. */
  to: MailPlace | RefusedPlace | null;
};

/** Tree state, kept while another view is shown. */
export const createTree = () => ({
  /** Lines that the user opened or closed. */
  toggled: signal<ReadonlyMap<string, boolean>>(new Map()),
  /** Key of the line that Tab reaches. */
  focused: signal('all'),
});

const order = ['INBOX', 'Drafts', 'Sent', 'Junk', 'Trash'];
const icons: Record<string, IconName> = {
  INBOX: 'inbox',
  Drafts: 'compose',
  Sent: 'sent',
  Junk: 'junk',
  Trash: 'trash',
};

/**
 * Lines of the tree from top to bottom: all mail, refused mail, domains, their accounts, and open accounts' mailboxes. `refused` is the
 * number of refusals. If a single account receives mail for any address, all mail stands for it: the account has no separate lines,
 * except for the mailbox `shown`, until another mailbox is created or used. A key limited to accounts sees no domains, so the accounts'
 * addresses name them.
 */
export function branches(
  domains: Domain[],
  accounts: Account[],
  isOpen: (key: string) => boolean,
  refused = 0,
  shown: number | null = null,
): Branch[] {
  const all = accounts.flatMap(({ mailboxes }) => mailboxes);
  const rows = [
    branch('all', 1, 'All mail', { icon: 'mail', unread: unreadOf(all), to: allMail }),
    branch('refused', 1, 'Refused', { icon: 'refused', refused, to: { view: 'refused' } }),
  ];
  const [only] = accounts;
  if (only && accounts.length === 1 && domains.length < 2 && isAllMail(only)) {
    const here = all.filter(({ id, path }) => id === shown && path !== 'INBOX');
    return [...rows, ...here.map((mailbox) => ofMailbox(only.id, mailbox, 1))];
  }
  const names = new Map([
    ...accounts.map(({ domain_id, address }) => [domain_id, address.replace(/^.*@/, '')] as const),
    ...domains.map(({ id, domain }) => [id, domain] as const),
  ]);
  for (const [id, domain] of [...names].toSorted(([, a], [, b]) => a.localeCompare(b))) {
    const mine = accounts.filter(({ domain_id }) => domain_id === id);
    const key = `domain-${id}`;
    const open = isOpen(key);
    const unread = open ? 0 : unreadOf(mine.flatMap(({ mailboxes }) => mailboxes));
    const name = domains.find((known) => known.id === id)?.unicode ?? domain;
    rows.push(branch(key, 1, name, { title: domain, unread, open: mine.length > 0 ? open : null }));
    if (!open) continue;
    for (const account of mine.toSorted((a, b) => a.address.localeCompare(b.address))) {
      for (const one of ofAccount(account, isOpen(`account-${account.id}`))) rows.push(one);
    }
  }
  return rows;
}

const isAllMail = ({ is_capture, is_catch_all, mailboxes }: Account) =>
  (is_capture || is_catch_all) &&
  mailboxes.every(
    ({ isSystem, path, totalMessages }) =>
      isSystem && (totalMessages === 0 || path === 'INBOX' || path === 'Sent'),
  );

function ofAccount({ id, address, mailboxes }: Account, open: boolean): Branch[] {
  const inbox = mailboxes.find(({ path }) => path === 'INBOX');
  const name = address.replace(/@[^@]*$/, '');
  const row = branch(`account-${id}`, 2, name === '*' ? 'any address' : name, {
    unread: open ? 0 : unreadOf(mailboxes),
    open,
    to: inbox === undefined ? null : { ...allMail, account: id, mailbox: inbox.id },
  });
  if (!open) return [row];
  return [row, ...inOrder(mailboxes).map((mailbox) => ofMailbox(id, mailbox, 3))];
}

function ofMailbox(account: number, mailbox: Mailbox, level: number): Branch {
  return branch(`mailbox-${mailbox.id}`, level, nameOf(mailbox), {
    icon: icons[mailbox.path] ?? 'folder',
    unread: mailbox.totalUnreadMessages,
    to: { ...allMail, account, mailbox: mailbox.id },
  });
}

/** Creates a line. By default, it has no icon, unread mail, children or place. */
function branch(key: string, level: number, name: string, more: Partial<Branch>): Branch {
  return { key, level, name, icon: null, unread: 0, open: null, to: null, ...more };
}

/** Displayed name of a mailbox. */
export const nameOf = ({ path }: Pick<Mailbox, 'path'>) => (path === 'INBOX' ? 'Inbox' : path);

/** Sorts mailboxes: system mailboxes first, in the usual order, then the user's own mailboxes by name. */
export function inOrder(mailboxes: Mailbox[]): Mailbox[] {
  const rank = ({ path, isSystem }: Mailbox) => (isSystem ? order.indexOf(path) : order.length);
  return mailboxes.toSorted((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
}

const unreadOf = (mailboxes: Mailbox[]) =>
  mailboxes.reduce((sum, { totalUnreadMessages }) => sum + totalUnreadMessages, 0);
