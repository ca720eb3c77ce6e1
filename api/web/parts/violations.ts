import { createContext } from 'preact';
import type { Problem } from '../client/shapes.ts';

/** Messages of the API about fields of the surrounding form. */
export const Violations = createContext<NonNullable<Problem['violations']>>([]);
