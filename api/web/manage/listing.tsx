import './cards.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import type { Problem } from '../client/shapes.ts';
import { Chip } from '../message/chip.tsx';
import type { Tone } from '../message/results.ts';
import { usePage } from '../page.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { Refusal } from '../parts/field.tsx';
import type { FormProps } from '../parts/form.tsx';
import { GreyLines } from '../parts/loaded.tsx';
import { repeat } from '../parts/repeat.ts';
import { number } from '../parts/size.ts';

const atOnce = 50;
/**
 * Interval in ms between reads of a list whose changes trigger no events. The interval doubles up to the maximum while nothing changes.
 */
const pauseMs = 2000;
const longestPauseMs = 8000;

type Props<T> = {
  /** Plural noun for the items: `domains`. */
  plural: string;
  /** Items. Null until read. */
  items: T[] | null;
  /** Reason why the items could not be read, and the function that reads them again. */
  refusal?: string;
  reload?(): unknown;
  nameOf(item: T): string;
  children(item: T): ComponentChildren;
};

/** List of cards with a filter by name. Draws a few cards at a time because there may be thousands. */
export function Listing<T>({ plural, items, refusal = '', reload, nameOf, children }: Props<T>) {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(atOnce);
  const refused = <Refusal text={refusal} again={reload} />;
  if (items === null) return refusal === '' ? <GreyLines /> : refused;
  const wanted = text.trim().toLowerCase();
  const found = items.filter((item) => nameOf(item).toLowerCase().includes(wanted));
  return (
    <>
      {refused}
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

/** Reads all pages of a list. `reload` reads them again. */
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

/** Reads a list again and again, more seldom while its items stay the same. */
export function useRepeated<T>({ items, reload }: { items: T[] | null; reload(): Promise<unknown> }): void {
  useEffect(() => {
    let pause = pauseMs / 2;
    return repeat(reload, () => {
      pause = Math.min(2 * pause, longestPauseMs);
      return pause;
    });
  }, [JSON.stringify(items)]);
}

/** Reads a list whose items have a secret that is shown once, from `made` until `revoked`. */
export function useSecrets<Item extends { id: number }, Created extends { id: number }>(path: string) {
  const list = useList<Item>(path);
  const [created, setCreated] = useState<Created | null>(null);
  const made = (item: Created) => {
    setCreated(item);
    return list.reload();
  };
  const revoked = ({ id }: Item) => {
    if (created?.id === id) setCreated(null);
    return list.reload();
  };
  return { ...list, created, made, revoked };
}

type HeadProps<T, N extends string> = {
  title: string;
  level?: 'h1' | 'h2';
  /** Noun for what the form creates: `domain`. */
  creates: string;
  /** Form for a new item. False for people who may not create one. */
  form: FormProps<T, N> | false;
};

/** List heading with the button that opens the form for a new item. */
export function Head<T, const N extends string>({
  title,
  level: Title = 'h1',
  creates,
  form,
}: HeadProps<T, N>) {
  const name = `New ${creates}`;
  return (
    <div class="line wrap head">
      <Title class="grow">{title}</Title>
      {form && <DialogForm look="main" text={`${name}…`} label={name} title={name} form={form} />}
    </div>
  );
}

/** Word next to a name, with its style. */
export type Badge = string | [text: string, tone: Tone] | false;

/** Name and badges of a list item. */
type Named = { name: ComponentChildren; badges?: Badge[]; children: ComponentChildren };

const Badges = ({ of = [] }: { of: Badge[] | undefined }) => (
  <>
    {of.map((badge) => {
      if (badge === false) return null;
      const [text, tone = 'plain'] = typeof badge === 'string' ? [badge] : badge;
      return <Chip key={text} result={text} tone={tone} />;
    })}
  </>
);

type CardProps = Named & {
  /** Text before the name. `last` is at the end of the line. */
  first?: ComponentChildren;
  last?: ComponentChildren;
  open?: boolean;
};

/** List item on one line, which opens to show its contents and actions. */
export function Card({ name, badges, first, last, open, children }: CardProps) {
  return (
    <li>
      <details class="card" open={open}>
        <summary class="opens">
          {first}
          <span class="breaks card-name">{name}</span>
          <Badges of={badges} />
          {last}
        </summary>
        <div class="card-body">{children}</div>
      </details>
    </li>
  );
}

type EntryProps = Named & {
  /** Facts about the item, below its name. */
  facts: ComponentChildren;
};

/** List item with its facts below its name, and its actions next to it. */
export function Entry({ name, badges, facts, children }: EntryProps) {
  return (
    <li class="wrap entry">
      <div>
        <span class="breaks card-name">{name}</span>
        <Badges of={badges} />
        {facts}
      </div>
      {children}
    </li>
  );
}

type RemovalProps = {
  /** Name of the object to delete. */
  name: string;
  path: string;
  /** True if the user must type the name first because the loss is great. */
  typed?: boolean;
  disabled?: boolean;
  act?: 'Delete' | 'Revoke' | 'Remove' | 'Leave';
  /** Button label. */
  label?: string;
  /** The dialog's question, its confirmation, and a description of what else is deleted. */
  title?: string;
  verb?: string;
  loss: string;
  explain?(problem: Problem): string | undefined;
  done(): unknown;
};

/** Button that deletes an object after confirmation. */
export function Removal({
  name,
  path,
  typed = false,
  disabled,
  loss,
  explain,
  done,
  ...words
}: RemovalProps) {
  const { act = 'Delete', label = `${act} ${name}`, title = `${act} ${name}?`, verb = act } = words;
  return (
    <DialogForm
      look="danger"
      text={`${act}…`}
      {...{ label, title, disabled }}
      form={{
        fields: typed ? [{ name: 'confirmation', label: `Type ${name} to confirm` }] : [],
        call: () => ({ method: 'DELETE', path }),
        label: verb,
        look: 'danger',
        lead: <p>{typed ? `${loss} This cannot be undone.` : loss}</p>,
        disabled: ({ confirmation }) => typed && confirmation.trim().toLowerCase() !== name.toLowerCase(),
        explain,
        done: () => afterRemoval(done),
      }}
    />
  );
}

/** Calls `done`, then focuses the page's main part. The focused button is gone, so Tab would otherwise start at the top of the page. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
