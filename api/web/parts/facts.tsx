import type { ComponentChildren } from 'preact';

/** Name and text. An entry whose text is null is omitted. */
export type Fact = [name: string, value: ComponentChildren];

/** List of names and values. */
export const Facts = ({ look, facts }: { look?: string; facts: Fact[] }) => (
  <dl class={look}>
    {facts.map(([name, value]) =>
      value === null ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
);
