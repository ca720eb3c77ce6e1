import './action.css';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Call } from '../client/client.ts';
import { curlOf } from '../client/curl.ts';
import type { Problem } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from './copy-button.tsx';
import { Field, type FieldProps, Refusal, Violations } from './field.tsx';

type Props<T> = {
  call: Call;
  /** Text of the button. */
  label: string;
  /** Look of the form. `beside` is a small form with its button beside its one field. */
  look?: 'main' | 'danger' | 'beside';
  disabled?: boolean;
  /** False if the call has no use outside of the page. */
  curl?: boolean;
  /** Returns the meaning of a problem here, for problems that the API's words do not explain. */
  explain?: ((problem: Problem) => string | undefined) | undefined;
  /** Called by a button that leaves the form, in a dialog. */
  cancel?: () => void;
  children?: ComponentChildren;
  done(answer: T): unknown;
};

/** Form that makes one call: its fields, a button, the equivalent curl, and the API's own words if it refuses. */
export function Action<T>(props: Props<T>) {
  const { call, label, look = 'main', disabled, curl = true, explain, cancel, children, done } = props;
  const { attempt, waiting } = usePage();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const refused = await attempt<T>(call, done);
    setBusy(false);
    setProblem(refused);
    if (refused) focusFirst(form.current, refused);
  };
  return (
    <Violations.Provider value={problem?.violations ?? []}>
      <form ref={form} class={`action ${look}`} onSubmit={submit} noValidate>
        {children}
        {problem && <Refusal text={explain?.(problem) ?? refusalOf(problem, form.current)} />}
        <div class="action-end">
          <button type="submit" class={look === 'beside' ? '' : look} disabled={disabled} aria-busy={busy}>
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
          <p role="status">Too many requests: it goes on by itself in a moment.</p>
        )}
      </form>
    </Violations.Provider>
  );
}

type FormProps<T, N extends string> = Omit<Props<T>, 'call' | 'disabled'> & {
  /** Fields, which begin with the text `start`, or empty. One that began empty is empty again after the call. */
  fields: readonly (Omit<FieldProps, 'value' | 'set'> & { name: N; start?: string })[];
  call(values: Record<N, string>): Call;
  disabled?(values: Record<N, string>): boolean;
  /** Name of a panel around the form. */
  panel?: string;
  /** Content above the fields. `children` come below them. */
  lead?: ComponentChildren;
};

/** Action whose fields are declared. */
export function Form<T, const N extends string>(props: FormProps<T, N>) {
  const { fields, call, disabled, panel, lead, children, done, ...rest } = props;
  const started = () => Object.fromEntries(fields.map(({ name, start = '' }) => [name, start]));
  const [values, setValues] = useState<Record<string, string>>(started);
  const form = (
    <Action<T>
      {...rest}
      call={call(values)}
      disabled={disabled?.(values) ?? false}
      done={(answer) => {
        const empty = fields.filter(({ start }) => start === undefined).map(({ name }) => [name, '']);
        setValues((now) => ({ ...now, ...Object.fromEntries(empty) }));
        return done(answer);
      }}
    >
      {lead}
      {fields.map(({ start: _, ...field }) => (
        <Field
          key={field.name}
          {...field}
          value={values[field.name] ?? ''}
          set={(text) => setValues((now) => ({ ...now, [field.name]: text }))}
        />
      ))}
      {children}
    </Action>
  );
  return panel === undefined ? (
    form
  ) : (
    <section class="panel" aria-label={panel}>
      {form}
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
