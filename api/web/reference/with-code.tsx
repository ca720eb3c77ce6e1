import type { ComponentChildren } from 'preact';

/** Shows what stands between backticks as code, as CommonMark does. The document's descriptions have no other mark-up. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
