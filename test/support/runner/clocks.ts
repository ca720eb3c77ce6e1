import { setTimeout as pause } from 'node:timers/promises';

/**
 * Clocks for loads, attacks and faults: times that a test chooses, and not times that it waits for. A test waits for conditions
 * with `until`.
 */

/** Paces a load or an attack: the time between two of its steps. */
export const paced = (ms: number): Promise<void> => pause(ms);

/** Lasts for an attack, a fault or an observation. */
export const lasting = (ms: number): Promise<void> => pause(ms);

/** Resolves at a moment that the test varies, to cause a fault at. */
export const moment = (ms: number): Promise<void> => pause(ms);
