import { expect as playwrightExpect, test as playwrightTest } from '@playwright/test';
import { sandpost } from './index.js';
import { matchersAt } from './matchers.js';
import { readableText } from './readable-text.js';

/** Playwright's words for the snapshots that a run may write, and ours. Any other word means missing ones. */
const updates = { all: 'all', changed: 'all', none: 'none' };

export const expect = playwrightExpect.extend(
  matchersAt(() => {
    const { file, config } = playwrightTest.info();
    return { file, updates: updates[config.updateSnapshots] ?? 'missing' };
  }),
);

export const test = playwrightTest.extend({
  sandpost: [{}, { option: true }],

  inboxes: async ({ sandpost: options }, use, info) => {
    const client = sandpost(options);
    const made = [];
    await use(async (name = info.title) => {
      const inbox = await client.inbox(name);
      made.push(inbox);
      return withTime(inbox, info);
    });
    if (info.status === info.expectedStatus) return;
    for (const inbox of made) await attachMails(inbox, info);
  },

  inbox: async ({ inboxes }, use) => use(await inboxes()),
});

/** Extends a test's timeout by its waits, so a failed wait can say why before the test times out. */
function withTime(inbox, info) {
  const extend = ({ within, settle = 0 }) => {
    if (info.timeout > 0) info.setTimeout(info.timeout + (within + settle) * 1000);
  };
  const { wait, none, mails } = inbox;
  inbox.wait = (conditions, options) => {
    extend({ within: 30, ...options });
    return wait.call(inbox, conditions, options);
  };
  inbox.none = (conditions, options) => {
    extend({ within: conditions?.within ?? 3, ...options });
    return none.call(inbox, conditions, options);
  };
  inbox.mails = (conditions, options) => {
    if (options?.count !== undefined) extend({ within: 30, ...options });
    return mails.call(inbox, conditions, options);
  };
  return inbox;
}

/** Attaches an inbox's emails to the report: their source, HTML and text. */
async function attachMails(inbox, info) {
  const attach = (name, body, contentType) => info.attach(name, { body, contentType });
  try {
    const mails = await inbox.mails();
    // A wait's error lists what arrived instead, and refusals.
    if (mails.length === 0)
      await inbox
        .wait({}, { within: 0 })
        .catch(({ message }) => attach(`no mail to ${inbox.address}`, message, 'text/plain'));
    for (const mail of mails) {
      const { id, subject, fields } = mail;
      await attach(`${subject} (${id}).eml`, Buffer.from(await mail.raw()), 'message/rfc822');
      if (fields.html !== null) await attach(`${subject} (${id}).html`, fields.html, 'text/html');
      const text = readableText(fields);
      if (text !== null) await attach(`${subject} (${id}).txt`, text, 'text/plain');
    }
  } catch (error) {
    await attach(`cannot read the mail to ${inbox.address}`, error.message, 'text/plain');
  }
}
