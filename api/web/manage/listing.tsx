import { number } from '../parts/count.ts';
import './cards.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Refusal } from '../parts/field.tsx';
import { GreyLines } from '../parts/loaded.tsx';

const atOnce = 50;

type Props<T> = {
  /** Name of what is listed, in the plural: `domains`. */
  plural: string;
  /** Null until they are read. */
  items: T[] | null;
  /** Why they could not be read. */
  refusal?: string;
  nameOf(item: T): string;
  children(item: T): ComponentChildren;
};

/** List of cards with a filter over their names. Draws a few at once, as there may be thousands. */
export function Listing<T>({ plural, items, refusal = '', nameOf, children }: Props<T>) {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(atOnce);
  if (items === null) return refusal === '' ? <GreyLines /> : <Refusal text={refusal} />;
  const wanted = text.trim().toLowerCase();
  const found = items.filter((item) => nameOf(item).toLowerCase().includes(wanted));
  return (
    <>
      <Refusal text={refusal} />
      {items.length > 5 && (
        <search class="finder">
          <input
            type="search"
            aria-label={`Filter ${plural}`}
            placeholder={`Filter ${number(items.length)} ${plural}`}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </search>
      )}
      {found.length === 0 ? (
        <p class="muted">
          {items.length === 0 ? `No ${plural} yet.` : `No ${plural} match “${text.trim()}”.`}
        </p>
      ) : (
        <ul class="cards" aria-label={plural}>
          {found.slice(0, shown).map(children)}
        </ul>
      )}
      {found.length > shown && (
        <button type="button" class="more" onClick={() => setShown(shown + atOnce)}>
          Show more ({number(found.length - shown)} left)
        </button>
      )}
    </>
  );
}

/** Reads all pages of a list at once. `reload` reads them again. */
export function useList<T>(path: string) {
  const { readAll } = usePage();
  const [items, setItems] = useState<T[] | null>(null);
  const [refusal, setRefusal] = useState('');
  const reload = () =>
    readAll<T>(path).then(
      (all) => {
        setItems(all);
        setRefusal('');
      },
      (error) => setRefusal(problemOf(error).detail),
    );
  useEffect(() => void reload(), []);
  return { items, refusal, reload };
}

/** Reads a list whose items have a secret that is shown once: when they are `made`, until they are `revoked`. */
export function useSecrets<Item extends { id: number }, Created extends { id: number }>(path: string) {
  const { reload, ...list } = useList<Item>(path);
  const [created, setCreated] = useState<Created | null>(null);
  const made = (item: Created) => {
    setCreated(item);
    return reload();
  };
  const revoked = ({ id }: Item) => {
    if (created?.id === id) setCreated(null);
    return reload();
  };
  return { ...list, created, made, revoked };
}

type OnceProps = { name: string; secret: string; copyLabel: string; children: ComponentChildren };

/** Secret that was just made, which is shown this once. */
export function Once({ name, secret, copyLabel, children }: OnceProps) {
  return (
    <section class="stack once" aria-label={name} role="status">
      <p>{children}</p>
      <div class="line wrap">
        <code>{secret}</code>
        <CopyButton text={secret} label={copyLabel} />
      </div>
    </section>
  );
}
