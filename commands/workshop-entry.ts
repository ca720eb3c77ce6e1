/** Module of the threads of the workshop. */
export const workshopEntry = new URL('./workshop-worker.ts', import.meta.url);
