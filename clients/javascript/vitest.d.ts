import type { MailMatchers } from './matchers.js';

/** Setup file for Vitest: `setupFiles: ['@sandpost/client/vitest']`. */
declare module 'vitest' {
  interface Matchers<T = unknown> extends MailMatchers {}
  interface Assertion<T = unknown> extends MailMatchers {}
}
