import { mayWrite } from '../client/teams.ts';

/**
 * Binding of keys: each is one key press (`j`, `?`, `Enter`, `Ctrl+a`), or two in a row (`g i`). One that `writes` is not in
 * force for viewers.
 */
export type Key = { keys: string[]; says: string; writes?: true; run: () => void };

const sets = new Set<Key[]>();

/** Adds bindings. Returns the function that removes them. */
export function addKeys(keys: Key[]): () => void {
  sets.add(keys);
  return () => void sets.delete(keys);
}

/** Returns the bindings in force, for the help. */
export const allKeys = (): Key[] => [...sets].flat().filter(({ writes }) => !writes || mayWrite.value);

const prefixMs = 1500;
let prefix = '';
let prefixTimer: ReturnType<typeof setTimeout> | undefined;

/** Runs the binding of a key. Ignores keys typed into a field, during a dialog, or needed by the focused element. */
export function takeKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey || isWriting(event.target)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const name = nameOf(event);
  const pressed = prefix === '' ? name : `${prefix} ${name}`;
  setPrefix('');
  const found = allKeys().find(({ keys }) => keys.includes(pressed));
  if (found === undefined) {
    if (allKeys().some(({ keys }) => keys.some((key) => key.startsWith(`${name} `)))) setPrefix(name);
    return;
  }
  if ((name === 'Enter' || name === ' ') && isPressable(event.target)) return;
  event.preventDefault();
  found.run();
}

function nameOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const shift = shiftKey && key.length > 1 ? 'Shift+' : '';
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${shift}${key}`;
}

function setPrefix(name: string): void {
  prefix = name;
  clearTimeout(prefixTimer);
  if (name !== '') prefixTimer = setTimeout(() => setPrefix(''), prefixMs);
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])'));

const isPressable = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('button, a, summary, [role=tab], [role=treeitem], input');
