import './cards.css';
import type { ComponentChildren } from 'preact';

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
