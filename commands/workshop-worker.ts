import { serveWorkshop } from '#setup/threads.ts';

/** Entry of the threads of the workshop: joins the reader of requests to send to the jobs. */
serveWorkshop(async () => (await import('#api/read-drafts.ts')).readDrafts);
