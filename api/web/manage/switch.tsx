import './switch.css';
import { useState } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Refusal } from '../parts/field.tsx';
import { Curl, refusalOf } from '../parts/form.tsx';

type Props = {
  label: string;
  help: string;
  on: boolean;
  disabled?: boolean;
  /** Object of the API, and its field that is turned on or off. */
  path: string;
  field: string;
  /** Reads what has changed. The directory is read if it is absent. */
  done?: () => unknown;
};

/** Check box of a field of a domain or an account, which one call turns on or off at once. */
export function Switch({ label, help, on, disabled = false, path, field, done }: Props) {
  const { attempt, reloadDirectory } = usePage();
  const [refusal, setRefusal] = useState<string | null>(null);
  const call = { method: 'PATCH', path, body: { [field]: !on } } as const;
  const flip = async () => {
    const refused = await attempt(call, done ?? reloadDirectory);
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
        <p class="help">{help}</p>
        <Refusal text={refusal} />
      </div>
      {!disabled && <Curl call={call} of={`${label}: ${on ? 'off' : 'on'}`} />}
    </div>
  );
}
