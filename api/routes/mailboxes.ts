import { found } from '#api/context.ts';
import { route } from '#api/route.ts';
import {
  emptied,
  mailboxCreation,
  mailboxList,
  mailboxQuery,
  mailboxShape,
  mailboxUpdate,
} from '#api/shapes/mailbox.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import { createMailbox, deleteMailbox, renameMailbox } from '#core/mailboxes/change-mailboxes.ts';
import { emptyMailbox } from '#core/messages/change-message.ts';

const success = { description: 'The mailbox', shape: mailboxShape };

export const mailboxRoutes = [
  route({
    method: 'get',
    path: '/api/accounts/{account_id}/mailboxes',
    operationId: 'listMailboxes',
    summary: "List an account's mailboxes",
    query: mailboxQuery,
    success: { description: 'A page of mailboxes', shape: mailboxList },
    handle: async ({ services, caller, ids, query }) =>
      found(await services.mailboxes.list(caller.team, ids.account_id, query)),
  }),
  route({
    method: 'post',
    path: '/api/accounts/{account_id}/mailboxes',
    operationId: 'createMailbox',
    summary: 'Make a mailbox',
    body: mailboxCreation,
    success,
    handle: ({ services, caller, ids, body }) =>
      createMailbox(services, caller.team, ids.account_id, body.path),
  }),
  route({
    method: 'get',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}',
    operationId: 'getMailbox',
    summary: 'Read a mailbox',
    success,
    handle: async ({ services, caller, ids }) =>
      found(await services.mailboxes.find(caller.team, ids.account_id, ids.mailbox_id)),
  }),
  route({
    method: 'patch',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}',
    operationId: 'updateMailbox',
    summary: 'Rename a mailbox that is not a system one',
    body: mailboxUpdate,
    success,
    handle: ({ services, caller, ids, body }) =>
      services.rows.change(renameMailbox, {
        team: caller.team,
        account: ids.account_id,
        mailbox: ids.mailbox_id,
        path: body.path,
      }),
  }),
  route({
    method: 'delete',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}',
    operationId: 'deleteMailbox',
    summary: 'Delete a mailbox that is not a system one, with its messages',
    success: { description: 'It is gone', shape: deletion },
    handle: ({ services, caller, ids }) =>
      deleteMailbox(services, caller.team, ids.account_id, ids.mailbox_id),
  }),
  route({
    method: 'delete',
    path: '/api/accounts/{account_id}/mailboxes/{mailbox_id}/messages',
    operationId: 'emptyMailbox',
    summary: 'Delete all messages of a mailbox',
    success: { description: 'How many there were', shape: emptied },
    handle: ({ services, caller, ids }) =>
      emptyMailbox(services, caller.team, ids.account_id, ids.mailbox_id),
  }),
];
