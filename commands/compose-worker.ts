import { readDrafts } from '#api/read-drafts.ts';
import { serveComposing } from '#setup/composer.ts';

/** Entry of the threads that compose messages: joins the reader of the API's requests to the composer. */
serveComposing(readDrafts);
