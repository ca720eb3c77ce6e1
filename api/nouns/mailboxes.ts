import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { del } from '#api/route.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { answerOf, at, wholeNumber } from '#api/shapes/response-shape.ts';
import { textValue } from '#api/shapes/values.ts';
import { found } from '#core/errors.ts';
import { createMailbox, deleteMailbox, renameMailbox } from '#core/mailboxes/change-mailboxes.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import { emptyMailbox } from '#core/messages/change-message.ts';

export const pathValue = () =>
  textValue(1, 255, {
    pattern: '^(?![\\s/])[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s/\\u0000-\\u001f\\u007f-\\u009f]$',
  })
    .description('Unique within the account, ignoring case. No leading or trailing space or slash.')
    .example('Archive/2026');

const mailboxCreation = requestShape<{ path: string }>(
  'MailboxCreation',
  { path: pathValue().required() },
  { example: { path: 'Archive/2026' } },
);

const mailboxUpdate = requestShape<{ path: string }>(
  'MailboxUpdate',
  { path: { names: ['path', 'name'], schema: pathValue() } },
  { atLeastOne: true, example: { path: 'Archive/2027' } },
);

export const mailboxShape = answerOf<Mailbox>()('Mailbox', {
  id: wholeNumber().min(1).example(21),
  account_id: wholeNumber().min(1).example(4),
  path: Joi.string().example('INBOX'),
  isSystem: [
    Joi.boolean().example(true).description('You cannot rename or delete a system mailbox.'),
    ({ system }) => system,
  ],
  totalMessages: [wholeNumber().example(1), ({ total }) => total],
  totalUnreadMessages: [wholeNumber().example(1), ({ unread }) => unread],
  created_at: at(({ createdAt }) => createdAt),
});

const emptied = answerOf<number>()('Emptied', {
  deleted: [wholeNumber().example(12), (deleted) => deleted],
});

export const mailboxRoutes = collection({
  noun: ['Mailbox', 'Mailboxes'],
  path: '/api/accounts/{account_id}/mailboxes',
  id: 'mailbox_id',
  shape: mailboxShape,
  list: {
    summary: "List an account's mailboxes",
    permission: 'mail',
    run: async ({ services, caller, ids, query }) =>
      found(await services.mailboxes.list(caller.team, ids.account_id, query)),
  },
  create: {
    summary: 'Create a mailbox',
    body: mailboxCreation,
    run: ({ services, caller, ids, body }) => createMailbox(services, caller.team, ids.account_id, body.path),
  },
  get: {
    summary: 'Read a mailbox',
    permission: 'mail',
    run: ({ services, caller, ids }) => services.mailboxes.find(caller.team, ids.account_id, ids.mailbox_id),
  },
  update: {
    summary: 'Rename a mailbox, except a system mailbox',
    body: mailboxUpdate,
    run({ services, caller, ids: { account_id: account, mailbox_id: mailbox }, body: { path } }) {
      return services.rows.change(renameMailbox, { team: caller.team, account, mailbox, path });
    },
  },
  more: [
    del({
      path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages',
      operationId: 'emptyMailbox',
      summary: 'Delete all messages in a mailbox',
      success: { description: 'Number of deleted messages', shape: emptied },
      handle: ({ services, caller, ids }) =>
        emptyMailbox(services, caller.team, ids.account_id, ids.mailbox_id),
    }),
  ],
  delete: {
    summary: 'Delete a mailbox with its messages, except a system mailbox',
    run: ({ services, caller, ids }) => deleteMailbox(services, caller.team, ids.account_id, ids.mailbox_id),
  },
});
