import type { MailMatchers } from './matchers.js';

/** Setup file for Jest: `setupFilesAfterEnv: ['@sandpost/client/jest']`. */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends MailMatchers<R> {}
}
