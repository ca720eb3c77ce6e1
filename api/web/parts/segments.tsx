import './action.css';
import { useId } from 'preact/hooks';

type Props<T extends string> = {
  /** What is chosen, for a screen reader. */
  label: string;
  choices: readonly (readonly [T, string])[];
  chosen: T;
  choose(value: T): void;
};

/** One of a few choices that are all in sight; the arrow keys go through them. */
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
