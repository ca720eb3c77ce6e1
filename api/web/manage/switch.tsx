import './switch.css';
import { useState } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Refusal } from '../parts/field.tsx';
import { Curl, refusalOf } from '../parts/form.tsx';
import type { Badge } from './listing.tsx';

/** Field of an API object that is turned on or off. */
export type Toggle<T> = {
  field: string;
  label: string;
  /** Explanation of the field. */
  help: string;
  isOn(item: T): boolean;
  /** Badges of an object whose field is on or off. */
  on?: Badge;
  off?: Badge;
  /** True if the field has no use under `sandpost dev`. */
  isShared?: boolean;
};

/** Returns an object's badges by its fields. Badges for fields that are off come last. */
export function badgesOf<T>(toggles: Toggle<T>[], item: T): Badge[] {
  const on = toggles.filter(({ isOn }) => isOn(item)).map(({ on = false }) => on);
  return [...on, ...toggles.filter(({ isOn }) => !isOn(item)).map(({ off = false }) => off)];
}

type Props<T> = {
  of: Toggle<T>;
  item: T;
  path: string;
  disabled?: boolean;
  /** Reads the objects that have changed. Default: reads the directory. */
  done?(): unknown;
};

/** Switch for a field. A single call immediately turns it on or off. */
export function Switch<T>({ of: { field, label, help, isOn, isShared }, item, path, ...rest }: Props<T>) {
  const { attempt, reloadDirectory, server } = usePage();
  const { disabled = false, done = reloadDirectory } = rest;
  const [refusal, setRefusal] = useState<string | null>(null);
  const on = isOn(item);
  const call = { method: 'PATCH', path, body: { [field]: !on } } as const;
  const flip = async () => {
    const refused = await attempt(call, done);
    setRefusal(refused && (refusalOf(refused) ?? null));
  };
  if (isShared && server.value?.is_local !== false) return null;
  return (
    <div class="wrap switch">
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-label={label}
        disabled={disabled}
        onClick={flip}
      />
      <div class="grow">
        <span>{label}</span>
        <p class="small">{help}</p>
        <Refusal text={refusal} />
      </div>
      {!disabled && <Curl call={call} of={`${label}: ${on ? 'off' : 'on'}`} />}
    </div>
  );
}
