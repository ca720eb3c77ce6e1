import { serveWorkshop } from '#setup/threads.ts';

/** Entry of the workshop's threads: adds the reader of requests to send to the jobs. */
serveWorkshop(async () => (await import('#api/read-drafts.ts')).readDrafts);
