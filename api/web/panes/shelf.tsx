import { number } from '../parts/count.ts';
import './shelf.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Icon } from '../parts/icon.tsx';
import { allMail } from '../place-url.ts';
import { operatorWith } from '../search/search-text.ts';

/** Number of tags that are shown. The search completes the others. */
const mostTags = 12;
/** Shortest time in ms between two readings of the tags. */
const tagsPauseMs = 10_000;

/** Saved searches and tags of the team, below its mailboxes. Absent if there are none. */
export function Shelf() {
  const { directory, mailPlace, reloadTags, searches, tags } = usePage();
  // The counts of the mailboxes are read again when messages have changed. Tags follow less often, and during a search they are
  // read once only: the API counts their reading as a search, and runs few of them at a time.
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
          {tags.value.slice(0, mostTags).map(({ name, count }) => (
            <ShelfLink key={name} q={operatorWith('tag', name)}>
              <Icon name="tag" />
              <span class="ellipsis grow">{name}</span>
              <span class="small faint numbers keep">{number(count)}</span>
            </ShelfLink>
          ))}
        </section>
      )}
    </>
  );
}

/** Link to what a search finds in all mail. */
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
