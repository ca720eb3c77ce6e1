import { moving, serve } from '#adapters/threads/serve.ts';
import { writeDocument } from './write-document.ts';

/** Entry of the thread that sanitises the HTML of mails. */
serve({
  write(...args: Parameters<typeof writeDocument>) {
    const body = writeDocument(...args);
    return moving(body, [body.bytes.buffer as ArrayBuffer]);
  },
});
