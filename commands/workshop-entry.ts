/** Entry module of the workshop's threads. */
export const workshopEntry = new URL('./workshop-worker.ts', import.meta.url);
