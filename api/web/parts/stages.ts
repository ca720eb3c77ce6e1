import type { Refused } from '../client/shapes.ts';

/** Steps at which something is refused or fails, worded for use within a sentence. */
export const stages: Record<Refused['stage'], string> = {
  connect: 'on connection',
  auth: 'at sign-in',
  mail: 'at MAIL',
  rcpt: 'at RCPT',
  data: 'at DATA',
  end: 'after the content',
  api: 'at a provider API',
};
