import './switch.css';
import { useState } from 'preact/hooks';
import type { Call } from '../client/client.ts';
import { usePage } from '../page.ts';
import { Curl, refusalOf } from '../parts/action.tsx';
import { Refusal } from '../parts/field.tsx';

type Props<T> = {
  label: string;
  help?: string;
  on: boolean;
  disabled?: boolean;
  /** Call that turns the state on or off. */
  call(on: boolean): Call;
  done(answer: T): unknown;
};

/** Check box of a state that one call turns on or off at once. */
export function Switch<T>({ label, help, on, disabled = false, call, done }: Props<T>) {
  const { attempt } = usePage();
  const [refusal, setRefusal] = useState<string | null>(null);
  const flip = async () => {
    const refused = await attempt<T>(call(!on), done);
    setRefusal(refused && (refusalOf(refused) ?? null));
  };
  return (
    <div class="switch">
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-label={label}
        disabled={disabled}
        onClick={flip}
      />
      <div>
        <span>{label}</span>
        {help && <p class="help">{help}</p>}
        <Refusal text={refusal} />
      </div>
      {!disabled && <Curl call={call(!on)} of={`${label}: ${on ? 'off' : 'on'}`} />}
    </div>
  );
}
