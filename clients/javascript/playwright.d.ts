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
  /** Client options: `use: { sandpost: { url: … } }`. */
  sandpost: Options;
  /** The test's address. If the test fails, its report contains the emails at this address. */
  inbox: Inbox;
  /** Creates another address for the test. */
  inboxes: (name?: string) => Promise<Inbox>;
};

/** Playwright's own `test` with fixtures for mail. Each wait for mail extends the test's timeout. */
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

/** Playwright's own `expect` with matchers for emails. */
export const expect: Expect<Matchers>;
