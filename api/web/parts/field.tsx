import './form.css';
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useId } from 'preact/hooks';
import type { Problem } from '../client/shapes.ts';

/** API messages about the surrounding form's fields. */
export const Violations = createContext<NonNullable<Problem['violations']>>([]);

export type FieldProps = {
  /** Name of the field in the API. The API's messages about this field are shown next to it. */
  name: string;
  label: string;
  /** Shows the label only to screen readers. */
  hideLabel?: boolean;
  value: string;
  set(value: string): void;
  type?: 'email' | 'password' | 'date' | 'text';
  /** Form other than an input: a checkbox, whose value is `yes` or empty, or a column of choices with their meanings. */
  as?: 'tick' | 'options';
  /** True if the field is beside the field before or after it. */
  pair?: boolean;
  /** Number of lines, for multiline text. */
  rows?: number;
  /** Choices, for a field without typing. A pair is a value and its name. */
  choices?: readonly (string | readonly [string, string])[];
  /** Initial text. If a field with choices has no initial text, the user must choose. */
  start?: string;
  help?: ComponentChildren;
  /** Message that replaces the API's message, for a field with a different unit. */
  fault?: string;
  /** Returns a warning about a value that the API accepts. */
  warns?(value: string): string | undefined;
  autocomplete?: 'off' | 'username' | 'current-password' | 'new-password';
};

/** Labeled input, with the API's messages about it. */
export function Field(props: FieldProps) {
  const { name, label, hideLabel = false, pair = false, help, fault, warns, ...input } = props;
  const id = useId();
  const wrong = useContext(Violations).filter(({ field }) => field === name);
  const said =
    wrong.length > 0 ? (fault ?? wrong.map(({ message }) => message).join('; ')) : warns?.(input.value);
  if (input.as === 'tick') return <Tick {...props} />;
  if (input.as === 'options') return <Options {...props} />;
  const about = [help ? `${id}-help` : '', said ? `${id}-wrong` : ''].join(' ').trim();
  return (
    <div class={pair ? 'field pair' : 'field'}>
      <label for={id} class={hideLabel ? 'hidden' : undefined}>
        {label}
      </label>
      <Input id={id} name={name} {...input} wrong={wrong.length > 0} about={about} />
      {help && (
        <p class="small" id={`${id}-help`}>
          {help}
        </p>
      )}
      {said && (
        <p class="error" id={`${id}-wrong`} role="alert">
          {said}
        </p>
      )}
    </div>
  );
}

type InputProps = Omit<FieldProps, 'label'> & { id: string; wrong: boolean; about: string };

function Input({ value, set, type = 'text', autocomplete = 'off', wrong, about, ...rest }: InputProps) {
  const { id, name, rows, choices, start } = rest;
  const shared = {
    id,
    name,
    value,
    'aria-invalid': wrong,
    'aria-describedby': about === '' ? undefined : about,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
  };
  if (choices) {
    return (
      <select required={start === undefined} {...shared}>
        {choices.map((choice) => {
          const [value, text] = typeof choice === 'string' ? [choice, choice] : choice;
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
    );
  }
  if (rows) return <textarea rows={rows} spellcheck={false} {...shared} />;
  const typed = {
    ...shared,
    type,
    autocomplete,
    spellcheck: false,
  } as JSX.IntrinsicElements['input'];
  return <input {...typed} />;
}

function Tick({ label, value, set }: FieldProps) {
  return (
    <label class="line tick">
      <input
        type="checkbox"
        checked={value !== ''}
        onChange={(event) => set(event.currentTarget.checked ? 'yes' : '')}
      />
      {label}
    </label>
  );
}

/** Choices in a column, each with its meaning. */
function Options({ label, choices = [], value, set }: FieldProps) {
  const id = useId();
  return (
    <fieldset class="stack options">
      <legend>{label}</legend>
      {choices.map(([choice = '', help]) => (
        <div key={choice}>
          <label class="line">
            <input
              type="radio"
              name={id}
              aria-describedby={`${id}-${choice}`}
              checked={choice === value}
              onChange={() => set(choice)}
            />
            {choice}
          </label>
          <p class="small" id={`${id}-${choice}`}>
            {help}
          </p>
        </div>
      ))}
    </fieldset>
  );
}

type SegmentsProps<T extends string> = {
  /** Name of the choice for screen readers. */
  label: string;
  choices: readonly (readonly [T, ComponentChildren])[];
  /** Signal of the choice, or functions that read and set it. */
  chosen: { value: T };
};

/** Row of a few choices, of which one is selected. The arrow keys move between them. */
export function Segments<T extends string>({ label, choices, chosen }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset class="wrap segments">
      <legend class="hidden">{label}</legend>
      {choices.map(([value, text]) => (
        <label key={value} class="line">
          <input
            type="radio"
            name={name}
            checked={value === chosen.value}
            onChange={() => {
              chosen.value = value;
            }}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

type RefusalProps = { text: string | null | undefined; look?: string; again?: (() => unknown) | undefined };

/**
 * Sentence about a failure, which screen readers read out immediately, and a button that tries `again`. Shows nothing if there is no text.
 */
export function Refusal({ text, look = 'error', again }: RefusalProps) {
  return text ? (
    <p class={look} role="alert">
      {text}
      {again && (
        <>
          {' '}
          <button type="button" onClick={() => void again()}>
            Try again
          </button>
        </>
      )}
    </p>
  ) : null;
}
