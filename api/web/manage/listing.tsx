import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

const atOnce = 50;

type Props<T> = {
  /** Name of the listed things in the plural: `domains`. */
  things: string;
  items: T[];
  nameOf(item: T): string;
  children(item: T): ComponentChildren;
};

/** List of cards with a filter over their names. Draws a few at once, as there may be thousands. */
export function Listing<T>({ things, items, nameOf, children }: Props<T>) {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(atOnce);
  const wanted = text.trim().toLowerCase();
  const found = items.filter((item) => nameOf(item).toLowerCase().includes(wanted));
  return (
    <>
      {items.length > 5 && (
        <search class="finder">
          <input
            type="search"
            aria-label={`Filter ${things}`}
            placeholder={`Filter ${items.length.toLocaleString('en')} ${things}`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </search>
      )}
      {found.length === 0 ? (
        <p class="muted">
          {items.length === 0 ? `No ${things} yet.` : `None of your ${things} has “${text.trim()}”.`}
        </p>
      ) : (
        <ul class="cards" aria-label={things}>
          {found.slice(0, shown).map(children)}
        </ul>
      )}
      {found.length > shown && (
        <button type="button" class="more" onClick={() => setShown(shown + atOnce)}>
          Show more ({(found.length - shown).toLocaleString('en')} left)
        </button>
      )}
    </>
  );
}
