import type { MailMatchers } from './matchers.js';

/** Set-up file of Vitest: `setupFiles: ['@sandpost/client/vitest']`. */
declare module 'vitest' {
  interface Matchers<T = unknown> extends MailMatchers {}
  interface Assertion<T = unknown> extends MailMatchers {}
}
