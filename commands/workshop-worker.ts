import { serveWorkshop } from '#setup/threads.ts';

/** Entry of the workshop's threads. Adds the reader of send requests to the jobs. */
serveWorkshop(async () => (await import('#api/read-drafts.ts')).readDrafts);
