import { Mail } from './mail.js';
import { makeInbox, readMails, waitForNone, waitForOne } from './steps.js';

/**
 * Creates a client for a server, `{ url, key, domain, crypto }`. `run` runs the steps of a call and returns what the test runner waits
 * for: a promise, or in Cypress a chainable.
 */
export function createClient(server, run) {
  function* inbox(name) {
    return new Inbox(server, run, yield* makeInbox(server, name));
  }
  return { inbox: (name = 'test') => run(inbox(name)) };
}

class Inbox {
  #server;
  #run;
  #place;

  constructor(server, run, place) {
    this.#server = server;
    this.#run = run;
    this.#place = place;
    this.address = place.address;
  }

  wait(conditions = {}, options = {}) {
    return this.#run(this.#wait(conditions, options));
  }

  none(conditions = {}, options = {}) {
    return this.#run(waitForNone(this.#server, this.#place, conditions, options));
  }

  mails(conditions = {}, options = {}) {
    return this.#run(this.#mails(conditions, options));
  }

  *#wait(conditions, options) {
    return this.#mail(yield* waitForOne(this.#server, this.#place, conditions, options));
  }

  *#mails(conditions, options) {
    const mails = yield* readMails(this.#server, this.#place, conditions, options);
    return mails.map((fields) => this.#mail(fields));
  }

  #mail(fields) {
    return new Mail(this.#server, this.#run, fields);
  }
}
