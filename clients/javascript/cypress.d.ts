import type { Conditions, Inbox, Mail, Waiting, Within } from './index.js';

/** Calls of an inbox or a mail that wait return chainables in Cypress. */
type Chained<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (
        ...args: Args
      ) => Cypress.Chainable<
        Result extends Mail ? Chained<Mail> : Result extends Mail[] ? Chained<Mail>[] : Result
      >
    : T[Name];
};

declare global {
  namespace Cypress {
    interface Chainable {
      /** Makes an address, which begins with the name, or with that of the test. */
      inbox(name?: string): Chainable<Chained<Inbox>>;
      /** Waits up to 30 s for exactly one mail. */
      waitForMail(
        inbox: Chained<Inbox>,
        conditions?: Conditions,
        options?: Waiting,
      ): Chainable<Chained<Mail>>;
      /** Waits 3 s, and fails as soon as a mail comes. */
      expectNoMail(
        inbox: Chained<Inbox>,
        conditions?: Conditions & Within,
        options?: Within,
      ): Chainable<void>;
    }
  }
}
