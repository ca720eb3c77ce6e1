import { Refusal } from './refusal.tsx';
import './action.css';
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { waiting } from '../client/request.ts';
import type { Problem } from '../client/shapes.ts';
import { attempt, type Call } from './call.ts';
import { Curl } from './curl.tsx';
import { Violations } from './violations.ts';

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
  explain?(problem: Problem): string | undefined;
  /** Called by a button that leaves the form, in a dialog. */
  cancel?(): void;
  children?: ComponentChildren;
  done(answer: T): unknown;
};

/** Form that makes one call: its fields, a button, the equivalent curl, and the API's own words if it refuses. */
export function Action<T>(props: Props<T>) {
  const { call, label, look = 'main', disabled, curl = true, explain, cancel, children, done } = props;
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
