import { signal } from '@preact/signals';
import type { Session } from './shapes.ts';

/** User who is signed in. Null: nobody, and the sign-in covers the page. Undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** Reason why the session is refused at this address. Null if it just ended. */
export const refusal = signal<string | null>(null);
