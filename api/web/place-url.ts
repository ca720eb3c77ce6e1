/** Where one is; everything that one can come back to. `account` and `mailbox` are null in "All mail". */
export type MailPlace = {
  view: 'mail';
  account: number | null;
  mailbox: number | null;
  message: number | null;
  /** Of the message; null: the first one. */
  tab: string | null;
  q: string;
};
export type ManagePlace = { view: 'manage'; page: string };
export type Place = MailPlace | ManagePlace;

/** `/mail/all`, `/mail/4/21/7/headers?q=invoice` (account, mailbox, message, tab), `/manage/domains`. */
export function hrefOf(to: Place): string {
  if (to.view === 'manage') return `/manage/${to.page}`;
  const box = to.account === null || to.mailbox === null ? ['all'] : [to.account, to.mailbox];
  const message = to.message === null ? [] : [to.message, ...(to.tab === null ? [] : [to.tab])];
  return `/mail/${[...box, ...message].join('/')}${to.q === '' ? '' : `?q=${encodeURIComponent(to.q)}`}`;
}

/** The place that a URL names; what it does not understand is left out. */
export function placeOf(url: string): Place {
  const { pathname, searchParams } = new URL(url, 'http://page');
  const [view, ...rest] = pathname.split('/').filter((part) => part !== '');
  if (view === 'manage') return { view, page: rest[0] ?? 'domains' };
  const q = searchParams.get('q') ?? '';
  const box = rest[0] === undefined || rest[0] === 'all' ? [null, null] : rest.slice(0, 2).map(id);
  const [message = null, tab = null] = rest.slice(box[0] === null ? 1 : 2);
  const [account = null, mailbox = null] = box;
  return { view: 'mail', account, mailbox, message: id(message), tab, q };
}

function id(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}
