import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Person } from '../client/shapes.ts';

const most = 3;
/** Largest number of people that the API gives of a field. A field with that many may have more. */
const mostGiven = 2000;

type Props = { label: string; people: Person[]; children?: ComponentChildren };

/** Row of the head: the first few people, with a button that shows all of them. Absent if there is nobody. */
export function People({ label, people, children }: Props) {
  const [all, setAll] = useState(false);
  if (people.length === 0 && children === undefined) return null;
  const shown = all ? people : people.slice(0, most);
  const more = people.length - shown.length;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {children}
        {shown.map((person, at) => (
          <PersonName key={at} person={person} />
        ))}
        {more > 0 && (
          <button type="button" class="link" onClick={() => setAll(true)}>
            and {more} {people.length >= mostGiven && 'or '}more
          </button>
        )}
      </dd>
    </div>
  );
}

/** Name with the address beside it: a sender chooses the name freely. */
export function PersonName({ person: { name, address } }: { person: Person }) {
  return (
    <span class="person">
      {name !== '' && name !== address && <bdi>{name}</bdi>}
      <bdi class="address">{address === '' ? '(nobody)' : address}</bdi>
    </span>
  );
}
