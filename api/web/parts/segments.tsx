import './action.css';
import { useId } from 'preact/hooks';

type Props<T extends string> = {
  /** Name of the choice, for screen readers. */
  label: string;
  choices: readonly (readonly [T, string])[];
  chosen: T;
  choose(value: T): void;
};

/** Row of a few choices, of which one is chosen. The arrow keys move between them. */
export function Segments<T extends string>({ label, choices, chosen, choose }: Props<T>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {choices.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
