import './tree.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Directory } from '../client/directory.ts';
import type { Mailbox, Tag } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { number } from '../parts/size.ts';
import { allMail } from '../place-url.ts';
import { operatorWith } from '../search/search-text.ts';
import { type Branch, branches } from './branches.ts';

/** Maximum number of accounts that are all open at first. */
const fewAccounts = 3;

/** Button that opens the tree if the window has no room for it. */
export function TreeButton() {
  const { treeOut } = usePage().mail;
  return (
    <IconButton
      icon="menu"
      label="Mailboxes"
      look="tree-button"
      run={() => {
        treeOut.value = true;
      }}
    />
  );
}

/** Returns the directory without unread messages that are hidden, of which each is given by its mailbox. */
function without(hidden: number[], directory: Directory['directory']['value']) {
  const { domains, accounts } = directory ?? { domains: [], accounts: [] };
  if (hidden.length === 0) return { domains, accounts };
  const unread = ({ id, totalUnreadMessages: all }: Mailbox) =>
    Math.max(0, all - hidden.filter((mailbox) => mailbox === id).length);
  const left = accounts.map(({ mailboxes, ...account }) => ({
    ...account,
    mailboxes: mailboxes.map((mailbox) => ({ ...mailbox, totalUnreadMessages: unread(mailbox) })),
  }));
  return { domains, accounts: left };
}

/** Tree of domains, accounts and mailboxes with their unread counts (WAI-ARIA's tree pattern). */
export function Tree() {
  const { directory, go, mail, mailPlace, place, searches, tags } = usePage();
  const { refused, tree } = mail;
  const { focused, toggled } = tree;
  const box = useRef<HTMLDivElement>(null);
  const { domains, accounts } = without(mail.hiddenUnread(), directory.value);
  const { account, mailbox, q } = mailPlace.value;
  // A saved search or a tag has its own line below the tree.
  const isOnShelf =
    account === null &&
    [...(searches.value ?? []), ...shownOf(tags.value).map(searchOf)].some((saved) => saved.q === q);
  const isOpen = (key: string) =>
    toggled.value.get(key) ??
    (key.startsWith('domain-') || accounts.length <= fewAccounts || key === `account-${account}`);
  const rows = branches(domains, accounts, isOpen, refused.value?.pagination.total, mailbox);
  // If the tree shows no mailboxes, the line for all mail is current in every mailbox.
  const isWhole = rows.length === 2;
  const current = ({ level, open, to }: Branch) =>
    to?.view === 'refused'
      ? place.value.view === 'refused'
      : place.value.view !== 'refused' &&
        !isOnShelf &&
        (isWhole || (to?.account === account && (level === 2 ? open === false : to?.mailbox === mailbox)));
  const tabStop = rows.find(({ key }) => key === focused.value) ?? rows.find(current) ?? rows[0];

  const toggle = (row: Branch, open: boolean) => {
    toggled.value = new Map([...toggled.value, [row.key, open]]);
  };
  const choose = (row: Branch) => {
    focused.value = row.key;
    if (row.level === 2 && row.open === false) toggle(row, true);
    if (row.to === null) return toggle(row, row.open === false);
    go(row.to);
    mail.treeOut.value = false;
  };
  const focus = (row: Branch | undefined) => {
    if (row === undefined) return;
    focused.value = row.key;
    box.current?.querySelector<HTMLElement>(`[data-key="${row.key}"]`)?.focus();
  };

  const pressed = (event: KeyboardEvent) => {
    const index = rows.findIndex(({ key }) => key === tabStop?.key);
    const row = rows[index];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = rows.findLastIndex(({ level }, i) => i < index && level < row.level);
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(rows[index + 1]),
      ArrowUp: () => focus(rows[index - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (row.open === false ? toggle(row, true) : row.open && focus(rows[index + 1])),
      ArrowLeft: () => (row.open ? toggle(row, false) : focus(rows[parent])),
      Enter: () => choose(row),
      ' ': () => choose(row),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };

  const clicked = ({ target }: MouseEvent) => {
    if (!(target instanceof Element)) return;
    const key = target.closest('[data-key]')?.getAttribute('data-key');
    const row = rows.find((row) => row.key === key);
    if (row === undefined) return;
    if (row.open !== null && target.closest('.branch-turn') !== null) toggle(row, !row.open);
    else choose(row);
  };

  return (
    <div class="tree" ref={box} role="tree" aria-label="Mailboxes" onClick={clicked} onKeyDown={pressed}>
      {rows.map((row) => (
        <div
          key={row.key}
          data-key={row.key}
          class={`way branch level-${row.level}${current(row) ? ' current' : ''}`}
          role="treeitem"
          tabIndex={row.key === tabStop?.key ? 0 : -1}
          aria-level={row.level}
          aria-expanded={row.open ?? undefined}
          aria-selected={current(row)}
          title={row.title ?? row.name}
        >
          {row.open !== null && (
            <span class="line faint branch-turn">
              <Icon name={row.open ? 'down' : 'right'} size={12} />
            </span>
          )}
          {row.icon && <Icon name={row.icon} />}
          <span class="ellipsis grow">{row.name}</span>
          {row.refused ? <span class="small faint numbers">{number(row.refused)}</span> : null}
          {row.unread > 0 && (
            <span class="numbers branch-unread">
              {number(row.unread)}
              <span class="hidden"> unread</span>
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** Tags shown. The search suggests the others. */
const shownOf = (tags: Tag[]) => tags.slice(0, 12);
const searchOf = ({ name }: Tag) => ({ q: operatorWith('tag', name) });
/** Minimum interval in ms between two reads of the tags. */
const tagsPauseMs = 10_000;

/** Saved searches and tags of the team, below its mailboxes. Absent if there are none. */
export function SearchesAndTags() {
  const { directory, mailPlace, reloadTags, searches, tags } = usePage();
  // Mailbox counts are read again after messages change. Tags are read less often, and only once during a search, because the API counts
  // reading them as a search, and runs few searches at a time.
  const counts = directory.value;
  const isSearching = mailPlace.value.q !== '';
  const readAt = useRef(0);
  useEffect(() => {
    if (counts === null || (isSearching && readAt.current > 0)) return;
    const timer = setTimeout(
      () => {
        readAt.current = Date.now();
        reloadTags().catch(() => {});
      },
      readAt.current + tagsPauseMs - Date.now(),
    );
    return () => clearTimeout(timer);
  }, [counts, isSearching]);
  return (
    <>
      {searches.value && searches.value.length > 0 && (
        <section class="shelf" aria-labelledby="searches-title">
          <h2 id="searches-title">Searches</h2>
          {searches.value.map(({ id, name, q }) => (
            <ShelfLink key={id} q={q}>
              <Icon name="search" />
              <span class="ellipsis grow">{name}</span>
            </ShelfLink>
          ))}
        </section>
      )}
      {tags.value.length > 0 && (
        <section class="shelf" aria-labelledby="tags-title">
          <h2 id="tags-title">Tags</h2>
          {shownOf(tags.value).map((tag) => (
            <ShelfLink key={tag.name} {...searchOf(tag)}>
              <Icon name="tag" />
              <span class="ellipsis grow">{tag.name}</span>
              <span class="small faint numbers keep">{number(tag.count)}</span>
            </ShelfLink>
          ))}
        </section>
      )}
    </>
  );
}

/** Link to a search's results in all mail. */
function ShelfLink({ q, children }: { q: string; children: ComponentChildren }) {
  const { linkTo, mail, mailPlace } = usePage();
  const { account, q: shown } = mailPlace.value;
  return (
    <a
      class="way"
      href={linkTo({ ...allMail, q })}
      title={q}
      aria-current={account === null && q === shown ? 'page' : undefined}
      onClick={() => {
        mail.treeOut.value = false;
      }}
    >
      {children}
    </a>
  );
}
