import { setTimeout as pause } from 'node:timers/promises';

/**
 * Clocks of loads, attacks and faults: times that a test chooses, and not times that it waits for. A test waits for
 * conditions, by `until`.
 */

/** Paces a load or an attack: the time between two of its steps. */
export const paced = (ms: number): Promise<void> => pause(ms);

/** Lasts as long as an attack, a fault or an observation. */
export const lasting = (ms: number): Promise<void> => pause(ms);

/** Resolves at a moment that the test varies, to make a fault at. */
export const moment = (ms: number): Promise<void> => pause(ms);
