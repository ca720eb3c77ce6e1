import './form.css';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Call } from '../client/client.ts';
import { curlOf } from '../client/curl.ts';
import type { Problem } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Copied, CopyButton } from './copy-button.tsx';
import { Field, type FieldProps, Refusal, Violations } from './field.tsx';

/** Form field. Dots in its name lead into objects of the body: `match.address`. */
export type FormField<N extends string> = Omit<FieldProps, 'name' | 'value' | 'set'> & {
  name: N;
  /** True if the field is in an initially closed section below the form's other fields. */
  folded?: boolean;
  /** Returns the values that other fields get when this field has this text. */
  fills?(text: string): Partial<Record<N, string>>;
  /** Returns properties that depend on the other fields, or false if they exclude this field. */
  given?(values: Record<N, string>): Partial<FieldProps> | boolean;
  /** Returns the value to send for the text, or undefined to send nothing. */
  sent?(text: string, values: Record<N, string>): unknown;
};

export type FormProps<T, N extends string = never> = {
  fields?: readonly FormField<N>[];
  /** Returns the call that sends `body`, which contains the fields' values. */
  call(body: object, values: Record<N, string>): Call;
  /** Button text. */
  label: string | ((values: Record<N, string>) => string);
  /** Style of the form. `beside` is a small form with its button next to its only field. */
  look?: 'main' | 'danger' | 'beside';
  disabled?(values: Record<N, string>): boolean;
  /** False if the call has no use outside the page. */
  curl?: boolean;
  /** Explains a problem in terms of this form if the API's words do not. */
  explain?: ((problem: Problem) => string | undefined) | undefined;
  /** Called by the button that closes the form in a dialog. */
  cancel?: () => void;
  /** Content above the fields. */
  lead?: ComponentChildren;
  /** Content below the fields. */
  children?: ComponentChildren | ((values: Record<N, string>) => ComponentChildren);
  done(answer: T, values: Record<N, string>): unknown;
};

/** Form that makes one call: its fields, a button, the equivalent curl command, and the API's own words if the API refuses the call. */
export function Form<T, const N extends string = never>(props: FormProps<T, N>) {
  const { fields = [], look = 'main', curl = true, explain, cancel } = props;
  const { attempt, waiting } = usePage();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const { shown, values } = shownOf(fields, typed);
  const call = props.call(bodyOf(shown, values), values);
  const label = typeof props.label === 'function' ? props.label(values) : props.label;
  const done = (answer: T) => {
    const emptied = fields.filter(({ start }) => start === undefined).map(({ name }) => [name, '']);
    setTyped((now) => ({ ...now, ...Object.fromEntries(emptied) }));
    return props.done(answer, values);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const refused = await attempt<T>(call, done);
    setBusy(false);
    setProblem(refused);
    if (refused) focusFirst(form.current, refused);
  };
  const drawnField = (field: FormField<N>) => (
    <Field
      key={field.name}
      {...field}
      value={values[field.name] ?? ''}
      set={(text) => setTyped((now) => ({ ...now, ...field.fills?.(text), [field.name]: text }))}
    />
  );
  return (
    <Violations.Provider value={problem?.violations ?? []}>
      <form ref={form} class={`action ${look}`} onSubmit={submit} noValidate>
        {props.lead}
        {shown.filter(({ folded }) => !folded).map(drawnField)}
        {shown.some(({ folded }) => folded) && (
          <details class="stack further">
            <summary>More settings</summary>
            {shown.filter(({ folded }) => folded).map(drawnField)}
          </details>
        )}
        {typeof props.children === 'function' ? props.children(values) : props.children}
        {problem && <Refusal text={explain?.(problem) ?? refusalOf(problem, form.current)} />}
        <div class="wrap action-end">
          <button
            type="submit"
            class={look === 'beside' ? '' : look}
            disabled={props.disabled?.(values) ?? false}
            aria-busy={busy}
          >
            {label}
          </button>
          {cancel && (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          )}
          {curl && <Curl call={call} of={label} />}
        </div>
        {busy && waiting.value > 0 && (
          <p role="status">Too many requests. Retrying automatically in a moment.</p>
        )}
      </form>
    </Violations.Provider>
  );
}

/**
 * Returns the fields that are shown for these texts, and their values. If a field's text is not one of its choices, it gets the first
 * choice.
 */
function shownOf<N extends string>(fields: readonly FormField<N>[], typed: Record<string, string>) {
  const starts = Object.fromEntries(fields.map(({ name, start = '' }) => [name, start]));
  const values: Record<string, string> = { ...starts, ...typed };
  const shown = fields.flatMap((field) => {
    const given = field.given?.(values) ?? true;
    if (given === false) return [];
    const whole = given === true ? field : { ...field, ...given, name: field.name };
    const choices = (whole.choices ?? []).map((choice) => (typeof choice === 'string' ? choice : choice[0]));
    const [first] = choices;
    if (first !== undefined && !choices.includes(values[field.name] ?? '')) values[field.name] = first;
    return [whole];
  });
  return { shown, values };
}

/** Returns the body with the shown fields' values. */
function bodyOf<N extends string>(shown: FormField<N>[], values: Record<string, string>): object {
  const body: Record<string, unknown> = {};
  for (const { name, type, as, sent } of shown) {
    const text = values[name] ?? '';
    const plain = as === 'tick' ? text !== '' : type === 'password' ? text : text.trim();
    const value = sent ? sent(text, values) : plain;
    const [outer = '', inner] = name.split('.');
    if (value === undefined) continue;
    body[outer] = inner === undefined ? value : { ...Object(body[outer]), [inner]: value };
  }
  return body;
}

/** Sends nothing for empty text. */
export const ifGiven = (text: string) => text.trim() || undefined;

/**
 * Multiplies a number by a factor. Returns undefined for empty text. Sends any other text as typed, because the API's refusal explains
 * the error.
 */
export const numberOf = (text: string, factor = 1) => {
  if (text.trim() === '') return undefined;
  return Number.isNaN(Number(text)) ? text : Math.round(Number(text) * factor);
};

/** Returns the part of a problem that is unrelated to the form's fields. Undefined if the fields show the whole problem. */
export function refusalOf({ code, detail, violations = [] }: Problem, form?: HTMLFormElement | null) {
  // A toast explains refusals because of the user's role.
  if (code === 'forbidden_role') return undefined;
  const rest = violations.filter(({ field }) => !form?.elements.namedItem(field));
  if (violations.length > 0 && rest.length === 0) return undefined;
  return rest.map(({ field, message }) => `${field} ${message}`).join('; ') || detail;
}

/** Focuses the first field with a violation, or the password, which is the likely cause of any other problem. */
function focusFirst(form: HTMLFormElement | null, { violations = [] }: Problem): void {
  const named = violations.map(({ field }) => form?.elements.namedItem(field)).find((found) => found);
  const first = named ?? form?.querySelector('[type=password]');
  if (!(first instanceof HTMLElement)) return;
  first.closest('details')?.setAttribute('open', '');
  first.focus();
}

/** API call as a shell line, behind a small button. Contains no passwords. */
export function Curl({ call: { method, path, body }, of }: { call: Call; of: string }) {
  const text = curlOf(method, path, body && withoutPasswords(body));
  return (
    <details class="curl">
      <summary class="button quiet" aria-label={`curl: ${of}`}>
        curl
      </summary>
      <Copied text={text} label={`Copy the curl command: ${of}`} />
    </details>
  );
}

const withoutPasswords = (body: object): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, /password/.test(name) ? '…' : value]),
  );

type OnceProps = { name: string; secret: string; copyLabel: string; children: ComponentChildren };

/** New secret, shown only once. */
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
