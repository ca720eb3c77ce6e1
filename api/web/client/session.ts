import { signal } from '@preact/signals';
import type { Session } from './shapes.ts';

/** Who is signed in; null: nobody, so that the sign-in stands over whatever place one is at; undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the session does not count here, where it did not just end. */
export const refusal = signal<string | null>(null);
