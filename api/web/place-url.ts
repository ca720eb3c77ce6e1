import { basePath, withoutBase } from './base-path.ts';

/** Filter flags, by their names in a URL and in the API's query. */
export const flagNames = ['unread', 'is_flagged', 'has_attachments'] as const;
export type FlagName = (typeof flagNames)[number];

/** List filter: words to search for, and flags that must be set. */
export type Filter = { q: string } & Record<FlagName, boolean>;

export const noFilter: Filter = { q: '', unread: false, is_flagged: false, has_attachments: false };

/** Place in the mail that the URL describes. `account` and `mailbox` are null in "All mail". */
export type MailPlace = Filter & {
  view: 'mail';
  account: number | null;
  mailbox: number | null;
  message: number | null;
  /** Message tab. Null means the first tab. */
  tab: string | null;
};
/** Place of all accounts' mail. */
export const allMail: MailPlace = {
  view: 'mail',
  account: null,
  mailbox: null,
  message: null,
  tab: null,
  ...noFilter,
};

/** Place of refused mail, next to the mailboxes. */
export type RefusedPlace = { view: 'refused' };
/** Place of a page, or of one of its items: `failures/5`. */
export type ManagePlace = { view: 'manage'; page: string };
/** Page of a team invitation. */
export type InvitationPlace = { view: 'invitation'; token: string };
/** Page for an unknown URL. */
export type NowherePlace = { view: 'nowhere' };
export type Place = MailPlace | RefusedPlace | ManagePlace | InvitationPlace | NowherePlace;

const paths = /^(?:\/team\/([1-9]\d{0,15})(?=\/|$))?(\/(?:$|(?:mail|manage)(?:\/|$).*))?$/;

/** Returns a filter's query, as in the URL and the API: `q=invoice&unread=true`. Empty if there is no filter. */
export function queryOf(filter: Filter): string {
  const flags = flagNames.filter((name) => filter[name]).map((name) => `${name}=true`);
  return [...(filter.q === '' ? [] : [`q=${encodeURIComponent(filter.q)}`]), ...flags].join('&');
}

/** Checks whether a filter excludes anything. */
export const isFiltered = (filter: Filter) => queryOf(filter) !== '';

/** Returns a path's team, or null for the personal team. */
export function teamOf(pathname: string): number | null {
  return id(paths.exec(withoutBase(pathname))?.[1] ?? null);
}

/** Checks whether a path is a place in a team's mail or settings. */
export const isPlace = (pathname: string): boolean => paths.test(withoutBase(pathname));

/**
 * Returns a place's URL: `/mail/all`, `/mail/4/21/7/headers?q=invoice` (account, mailbox, message, tab), `/manage/domains`. If the place
 * is in a team, its URL begins with `/team/7`.
 */
export function hrefOf(to: Place, team: number | null = null): string {
  if (to.view === 'nowhere') return `${basePath}/`;
  return to.view === 'invitation'
    ? `${basePath}/invitations/${to.token}`
    : `${basePath}${team === null ? '' : `/team/${team}`}${pathOf(to)}`;
}

function pathOf(to: MailPlace | RefusedPlace | ManagePlace): string {
  if (to.view === 'refused') return '/mail/refused';
  if (to.view === 'manage') return `/manage/${to.page}`;
  const box = to.account === null || to.mailbox === null ? ['all'] : [to.account, to.mailbox];
  const message = to.message === null ? [] : [to.message, ...(to.tab === null ? [] : [to.tab])];
  return `/mail/${[...box, ...message].join('/')}${isFiltered(to) ? `?${queryOf(to)}` : ''}`;
}

/** Returns a URL's place. Ignores unknown parts. */
export function placeOf(url: string): Place {
  const { pathname, searchParams } = new URL(url, 'http://page');
  const [view, ...rest] = withoutBase(pathname)
    .replace(/^\/team\/\d+/, '')
    .split('/')
    .filter((part) => part !== '');
  if (view === 'invitations' && rest.length === 1) return { view: 'invitation', token: rest[0] ?? '' };
  if (!isPlace(pathname)) return { view: 'nowhere' };
  if (view === 'manage') return { view, page: rest.slice(0, 2).join('/') || 'domains' };
  if (rest[0] === 'refused') return { view: 'refused' };
  const flag = (name: FlagName) => searchParams.get(name) === 'true';
  const filter: Filter = {
    q: searchParams.get('q') ?? '',
    unread: flag('unread'),
    is_flagged: flag('is_flagged'),
    has_attachments: flag('has_attachments'),
  };
  const box = rest[0] === undefined || rest[0] === 'all' ? [null, null] : rest.slice(0, 2).map(id);
  const [message = null, tab = null] = rest.slice(box[0] === null ? 1 : 2);
  const [account = null, mailbox = null] = box;
  return { view: 'mail', account, mailbox, message: id(message), tab, ...filter };
}

function id(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}
