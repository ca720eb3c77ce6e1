import { found } from '#api/context.ts';
import { route } from '#api/route.ts';
import { emptied, mailboxCreation, mailboxList, mailboxShape, mailboxUpdate } from '#api/shapes/mailbox.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { createMailbox, deleteMailbox, renameMailbox } from '#core/mailboxes/change-mailboxes.ts';
import { emptyMailbox } from '#core/messages/change-message.ts';
import { collection } from './collection.ts';

export const mailboxRoutes = collection({
  noun: ['Mailbox', 'Mailboxes'],
  path: '/api/accounts/{account_id}/mailboxes',
  id: 'mailbox_id',
  success: { description: 'The mailbox', shape: mailboxShape },
  list: {
    summary: "List an account's mailboxes",
    query: pageQuery,
    success: { description: 'A page of mailboxes', shape: mailboxList },
    run: async ({ services, caller, ids, query }) =>
      found(await services.mailboxes.list(caller.team, ids.account_id, query)),
  },
  create: {
    summary: 'Make a mailbox',
    body: mailboxCreation,
    run: ({ services, caller, ids, body }) => createMailbox(services, caller.team, ids.account_id, body.path),
  },
  get: {
    summary: 'Read a mailbox',
    run: ({ services, caller, ids }) => services.mailboxes.find(caller.team, ids.account_id, ids.mailbox_id),
  },
  update: {
    summary: 'Rename a mailbox that is not a system one',
    body: mailboxUpdate,
    run({ services, caller, ids: { account_id: account, mailbox_id: mailbox }, body: { path } }) {
      return services.rows.change(renameMailbox, { team: caller.team, account, mailbox, path });
    },
  },
  more: [
    route({
      method: 'delete',
      path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages',
      operationId: 'emptyMailbox',
      summary: 'Delete all messages of a mailbox',
      success: { description: 'How many there were', shape: emptied },
      handle: ({ services, caller, ids }) =>
        emptyMailbox(services, caller.team, ids.account_id, ids.mailbox_id),
    }),
  ],
  delete: {
    summary: 'Delete a mailbox that is not a system one, with its messages',
    run: ({ services, caller, ids }) => deleteMailbox(services, caller.team, ids.account_id, ids.mailbox_id),
  },
});
