import type { Conditions, Inbox, Mail, Waiting, Within } from './index.js';

/** Cypress methods of an inbox or an email, which return chainables instead of promises. */
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
      /** Creates an address that begins with the name, or with the test's name. */
      inbox(name?: string): Chainable<Chained<Inbox>>;
      /** Waits up to 30 s for exactly one email. */
      waitForMail(
        inbox: Chained<Inbox>,
        conditions?: Conditions,
        options?: Waiting,
      ): Chainable<Chained<Mail>>;
      /** Waits 3 s, and fails as soon as an email arrives. */
      expectNoMail(
        inbox: Chained<Inbox>,
        conditions?: Conditions & Within,
        options?: Within,
      ): Chainable<void>;
    }
  }
}
