import type { ComponentChildren } from 'preact';

/** Name and text. Facts omits an entry whose text is null. */
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
