/** Loop that the entry of a thread of the workshop runs. */
export { serveWorkshop } from '#adapters/workshop/serve-workshop.ts';
