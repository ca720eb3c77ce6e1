import './cards.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import type { Problem } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { Refusal } from '../parts/field.tsx';
import type { FormProps } from '../parts/form.tsx';
import { GreyLines } from '../parts/loaded.tsx';
import { number } from '../parts/size.ts';

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

type HeadProps<T, N extends string> = {
  title: string;
  /** Level of the heading. */
  level?: 'h1' | 'h2';
  /** Noun of the thing that the form creates: `domain`. */
  creates: string;
  /** Absent for people who may create none. */
  form: FormProps<T, N> | false;
};

/** Heading above a list, and the button that opens the form for one more. */
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

/** Word beside a name, and its look. */
export type Badge = string | [text: string, look: string] | false;

/** Name and badges of an item of a list. */
type Named = { name: ComponentChildren; badges?: Badge[]; children: ComponentChildren };

const Badges = ({ of = [] }: { of: Badge[] | undefined }) => (
  <>
    {of.map((badge) => {
      if (badge === false) return null;
      const [text, look = ''] = typeof badge === 'string' ? [badge] : badge;
      return (
        <span key={text} class={`badge tone ${look}`}>
          {text}
        </span>
      );
    })}
  </>
);

type CardProps = Named & {
  /** Texts before the name, and at the end of the line. */
  first?: ComponentChildren;
  last?: ComponentChildren;
  open?: boolean;
};

/** Item of a list that is one line, which opens to its contents and acts. */
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

/** Item of a list with its facts below its name, and its acts beside it. */
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
  /** Name of what is deleted. */
  name: string;
  path: string;
  /** True if the name has to be typed before, as the loss is great. */
  typed?: boolean;
  disabled?: boolean;
  act?: 'Delete' | 'Revoke' | 'Remove' | 'Leave';
  /** Name of the button. */
  label?: string;
  /** Question of the dialog, its answer, and what goes with it, in words. */
  title?: string;
  verb?: string;
  loss: string;
  explain?(problem: Problem): string | undefined;
  done(): unknown;
};

/** Button that deletes something after a question. */
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

/** Calls `done`, then focuses the page's main part: the focused button is gone, and Tab would begin at the page's start. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
