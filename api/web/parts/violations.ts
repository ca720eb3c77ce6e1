import { createContext } from 'preact';
import type { Problem } from '../client/shapes.ts';

/** What the API said about fields of the form around. */
export const Violations = createContext<NonNullable<Problem['violations']>>([]);
