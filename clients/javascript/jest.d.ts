import type { MailMatchers } from './matchers.js';

/** Set-up file of Jest: `setupFilesAfterEnv: ['@sandpost/client/jest']`. */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends MailMatchers<R> {}
}
