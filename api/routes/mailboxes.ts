import { found } from '#api/context.ts';
import { route } from '#api/route.ts';
import {
  emptied,
  mailboxCreation,
  mailboxList,
  mailboxQuery,
  mailboxShape,
  mailboxUpdate,
  presentEmptied,
  presentMailbox,
} from '#api/shapes/mailbox.ts';
import { presentList } from '#api/shapes/page.ts';
import { deletion, presentDeletion } from '#api/shapes/response-shape.ts';
import { createMailbox, deleteMailbox, renameMailbox } from '#core/mailboxes/change-mailboxes.ts';
import { emptyMailbox } from '#core/messages/change-message.ts';

const tag = 'Mailboxes';
const success = { description: 'The mailbox', shape: mailboxShape };

export const mailboxRoutes = [
  route({
    method: 'get',
    path: '/api/accounts/{account_id}/mailboxes',
    operationId: 'listMailboxes',
    summary: "List an account's mailboxes",
    tag,
    access: 'identified',
    query: mailboxQuery,
    success: { description: 'A page of mailboxes', shape: mailboxList },
    async handle({ services, caller, ids, query }) {
      const slice = found(await services.mailboxes.list(caller.team, ids.account_id, query));
      return presentList(slice, query, presentMailbox);
    },
  }),
  route({
    method: 'post',
    path: '/api/accounts/{account_id}/mailboxes',
    operationId: 'createMailbox',
    summary: 'Make a mailbox',
    tag,
    access: 'identified',
    body: mailboxCreation,
    success,
    handle: async ({ services, caller, ids, body }) =>
      presentMailbox(await createMailbox(services, caller.team, ids.account_id, body.path)),
  }),
  route({
    method: 'get',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}',
    operationId: 'getMailbox',
    summary: 'Read a mailbox',
    tag,
    access: 'identified',
    success,
    handle: async ({ services, caller, ids }) =>
      presentMailbox(found(await services.mailboxes.find(caller.team, ids.account_id, ids.mailbox_id))),
  }),
  route({
    method: 'patch',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}',
    operationId: 'updateMailbox',
    summary: 'Rename a mailbox that is not a system one',
    tag,
    access: 'identified',
    body: mailboxUpdate,
    success,
    handle: async ({ services, caller, ids, body }) =>
      presentMailbox(await renameMailbox(services, caller.team, ids.account_id, ids.mailbox_id, body.path)),
  }),
  route({
    method: 'delete',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}',
    operationId: 'deleteMailbox',
    summary: 'Delete a mailbox that is not a system one, with its messages',
    tag,
    access: 'identified',
    success: { description: 'It is gone', shape: deletion },
    async handle({ services, caller, ids }) {
      await deleteMailbox(services, caller.team, ids.account_id, ids.mailbox_id);
      return presentDeletion(ids.mailbox_id);
    },
  }),
  route({
    method: 'delete',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages',
    operationId: 'emptyMailbox',
    summary: 'Delete all messages of a mailbox',
    tag,
    access: 'identified',
    success: { description: 'How many there were', shape: emptied },
    handle: async ({ services, caller, ids }) =>
      presentEmptied(await emptyMailbox(services, caller.team, ids.account_id, ids.mailbox_id)),
  }),
];
