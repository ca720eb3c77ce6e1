import type {
  Expect,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test';
import type { Inbox, Options } from './index.js';
import type { MailMatchers } from './matchers.js';

export type SandpostFixtures = {
  /** Options of the client: `use: { sandpost: { url: … } }`. */
  sandpost: Options;
  /** Address of the test. Its mails are attached to the report of a test that fails. */
  inbox: Inbox;
  /** Makes a further address of the test. */
  inboxes: (name?: string) => Promise<Inbox>;
};

/** Playwright's own `test` with fixtures for mail. Waits for mail add to the time of a test. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & SandpostFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;

type Matchers = {
  [Name in keyof MailMatchers]: (
    received: unknown,
    ...args: Parameters<MailMatchers[Name]>
  ) => ReturnType<MailMatchers[Name]>;
};

/** Playwright's own `expect` with matchers for mails. */
export const expect: Expect<Matchers>;
