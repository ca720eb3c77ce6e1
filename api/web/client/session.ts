import { computed, signal } from '@preact/signals';
import type { Session } from './shapes.ts';
import { isGone } from './team.ts';

/** User who is signed in. Null: nobody, and the sign-in covers the page. Undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);

const key = 'sandpost-signed-in';

/** Tells whether somebody was signed in when this browser last showed the page. The cookie itself is not readable. */
export const wasSignedIn = localStorage.getItem(key) !== null;
session.subscribe((user) => {
  if (user) localStorage.setItem(key, 'yes');
  else if (user === null) localStorage.removeItem(key);
});

/** Reason why the session is refused at this address. Null if it just ended. */
export const refusal = signal<string | null>(null);

/** True when nothing may be shown any more: nobody is signed in, or the user has left the team. */
export const hasLeft = computed(() => session.value === null || isGone.value);
