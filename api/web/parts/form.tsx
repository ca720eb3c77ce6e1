import './form.css';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Call } from '../client/client.ts';
import { curlOf } from '../client/curl.ts';
import type { Problem } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from './copy-button.tsx';
import { Field, type FieldProps, Refusal, Violations } from './field.tsx';

type Props<T, N extends string> = {
  /** Fields, which begin with the text `start`, or empty. One that began empty is empty again after the call. */
  fields?: readonly (Omit<FieldProps, 'value' | 'set'> & { name: N; start?: string })[];
  /** True if the two fields are beside each other. */
  pair?: boolean;
  call(values: Record<N, string>): Call;
  /** Text of the button. */
  label: string;
  /** Look of the form. `beside` is a small form with its button beside its one field. */
  look?: 'main' | 'danger' | 'beside';
  /** Name of a panel around the form. */
  panel?: string;
  disabled?(values: Record<N, string>): boolean;
  /** False if the call has no use outside of the page. */
  curl?: boolean | ((values: Record<N, string>) => boolean);
  /** Returns the meaning of a problem here, for problems that the API's words do not explain. */
  explain?: ((problem: Problem) => string | undefined) | undefined;
  /** Called by a button that leaves the form, in a dialog. */
  cancel?: () => void;
  /** Content above the fields. */
  lead?: ComponentChildren;
  /** Content below the fields. */
  children?: ComponentChildren | ((values: Record<N, string>) => ComponentChildren);
  done(answer: T): unknown;
};

/** Form that makes one call: its fields, a button, the equivalent curl, and the API's own words if it refuses. */
export function Form<T, const N extends string = never>(props: Props<T, N>) {
  const { fields = [], pair = false, label, look = 'main', panel, curl = true, explain, cancel } = props;
  const { attempt, waiting } = usePage();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map(({ name, start = '' }) => [name, start])),
  );
  const call = props.call(values);
  const done = (answer: T) => {
    const emptied = fields.filter(({ start }) => start === undefined).map(({ name }) => [name, '']);
    setValues((now) => ({ ...now, ...Object.fromEntries(emptied) }));
    return props.done(answer);
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
  const inputs = fields.map(({ start: _, ...field }) => (
    <Field
      key={field.name}
      {...field}
      value={values[field.name] ?? ''}
      set={(text) => setValues((now) => ({ ...now, [field.name]: text }))}
    />
  ));
  const drawn = (
    <Violations.Provider value={problem?.violations ?? []}>
      <form ref={form} class={`action ${look}`} onSubmit={submit} noValidate>
        {props.lead}
        {pair ? <div class="pair">{inputs}</div> : inputs}
        {typeof props.children === 'function' ? props.children(values) : props.children}
        {problem && <Refusal text={explain?.(problem) ?? refusalOf(problem, form.current)} />}
        <div class="action-end">
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
          {(typeof curl === 'function' ? curl(values) : curl) && <Curl call={call} of={label} />}
        </div>
        {busy && waiting.value > 0 && (
          <p role="status">Too many requests: it goes on by itself in a moment.</p>
        )}
      </form>
    </Violations.Provider>
  );
  return panel === undefined ? (
    drawn
  ) : (
    <section class="panel" aria-label={panel}>
      {drawn}
    </section>
  );
}

/** Returns the part of a problem that concerns no field of the form. Undefined if the fields show all of it. */
export function refusalOf({ detail, violations = [] }: Problem, form?: HTMLFormElement | null) {
  const rest = violations.filter(({ field }) => !form?.elements.namedItem(field));
  if (violations.length > 0 && rest.length === 0) return undefined;
  return rest.map(({ field, message }) => `${field} ${message}`).join('; ') || detail;
}

function focusFirst(form: HTMLFormElement | null, { violations = [] }: Problem): void {
  const first = violations.map(({ field }) => form?.elements.namedItem(field)).find((found) => found);
  if (first instanceof HTMLElement) first.focus();
}

/** Call as a shell line, behind a small button. Contains no passwords. */
export function Curl({ call: { method, path, body }, of }: { call: Call; of: string }) {
  const text = curlOf(method, path, body && withoutPasswords(body));
  return (
    <details class="curl">
      <summary aria-label={`curl: ${of}`}>curl</summary>
      <div class="line">
        <pre>{text}</pre>
        <CopyButton text={text} label={`Copy the curl line: ${of}`} />
      </div>
    </details>
  );
}

const withoutPasswords = (body: object): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, /password/.test(name) ? '…' : value]),
  );
