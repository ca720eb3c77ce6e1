import type { DatabaseSync } from 'node:sqlite';
import { bodyRows, pieceBytes } from '#adapters/stores/sqlite/bodies/bodies.ts';
import { journalAppender } from '#adapters/stores/sqlite/journal.ts';
import { mailboxCounter } from '#adapters/stores/sqlite/mailboxes.ts';
import { joinKeys, tagsColumn } from '#adapters/stores/sqlite/messages/message-keys.ts';
import { ownedQueries } from '#adapters/stores/sqlite/rows/custom-queries.ts';
import { conversations } from '#adapters/stores/sqlite/threads/conversations.ts';
import { bit, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import type { DeliveryPlan, NewMessage } from '#core/delivery/plan-delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';

/** Email with one id for each target. */
export type MailWithIds = PreparedMail & { ids: Id[] };

/** Writes a planned batch. No other code inserts messages. */
export function planWriter(db: DatabaseSync): (plan: DeliveryPlan<MailWithIds>) => void {
  const journal = journalAppender(db);
  const storeMail = mailInsertion(db);
  const insertMessage = messageInsertion(db);
  const threads = conversations(db);
  const count = mailboxCounter(db);
  const { addMailboxes } = ownedQueries(db);
  const countRuled = query(
    db,
    'UPDATE mail_rule SET matched = matched + :matched, discarded = discarded + :discarded WHERE id = :id',
  );
  const charge = query(db, 'UPDATE account SET used_bytes = used_bytes + :bytes WHERE id = :account');

  return ({ messages, verdicts, newest, counts, charges, mailboxes, ruleCounts }) => {
    for (const [id, added] of ruleCounts) countRuled.run({ id, ...added });
    if (messages.length === 0) return;
    const conversationOf = threads.join(
      messages.map(({ id, number, mail, target }) => {
        return { id, number, accountId: target.accountId, tokens: mail.tokens, conversationId: null };
      }),
    );
    const byMail = Map.groupBy(messages, ({ mail }) => mail);
    for (const [mail, own] of byMail) {
      const body = storeMail(mail, own.length);
      for (const message of own) insertMessage(message, body, conversationOf.get(message.id) ?? null);
    }
    addMailboxes(mailboxes.map(({ mailbox }) => mailbox));
    for (const [mailbox, added] of counts) count(mailbox, added);
    for (const [account, { bytes }] of charges) charge.run({ account, bytes });
    for (const owner of new Set(messages.map(({ target }) => target.owner))) {
      journal.advance(owner, newest.get(owner) ?? 0);
    }
    for (const verdict of verdicts) {
      if (!('ids' in verdict)) continue;
      for (const { owner, events } of verdict.commits) {
        for (const event of events) journal.append(owner, event);
      }
    }
  };
}

type MessageInsertion = (message: NewMessage<MailWithIds>, body: Id, conversation: Id | null) => void;

function messageInsertion(db: DatabaseSync): MessageInsertion {
  const insert = query(
    db,
    `INSERT INTO message (id, owner, account_id, mailbox_id, number, copy, received_at, expires_at, auto_delete, is_read,
       is_flagged, has_attachments, size_bytes, body_id, conversation_id, msgid, from_address, from_name, subject, intro,
       to_addresses, own_recipients, code, main_link,
       counted_bytes, traits, keys, tags)
     VALUES (:id, :owner, :account, :mailbox, :number, :copy, :receivedAt, :expiresAt, :autoDelete, :isRead,
       :isFlagged, :hasAttachments, :bytes, :body, :conversation, :msgid, :fromAddress, :fromName, :subject, :intro,
       :toAddresses, :ownRecipients, :code, :mainLink,
       :counted, :traits, :keys, :tags)`,
  );
  const insertTrace = query(
    db,
    `INSERT INTO trace (message_id, delivered_to, tag, envelope, own_token, reference_tokens)
     VALUES (:id, :deliveredTo, :tag, :envelope, :own, :references)`,
  );
  return ({ id, number, mailboxId: mailbox, mail, target, flags }, body, conversation) => {
    const { sizeBytes: bytes, msgid, subject, intro, mainLink, tokens } = mail;
    const { owner, accountId: account, fromAddress, fromName, ownRecipients } = target;
    const { deliveredTo, tag, countedBytes } = target;
    const toAddresses = JSON.stringify(target.toAddresses);
    const envelope = JSON.stringify(target.envelope);
    insert.run({
      ...{ id, owner, account, mailbox, number, bytes, body, conversation },
      ...{ msgid, fromAddress, fromName, subject, intro, toAddresses, ownRecipients },
      code: mail.code ?? '',
      mainLink,
      traits: target.traits,
      keys: joinKeys(target.keys),
      tags: tagsColumn(target.tags),
      counted: countedBytes === bytes ? null : countedBytes,
      receivedAt: time(mail.receivedAt),
      hasAttachments: bit(mail.hasAttachments),
      copy: bit(flags.copy),
      isRead: bit(flags.isRead),
      isFlagged: bit(flags.isFlagged),
      autoDelete: bit(flags.autoDelete),
      expiresAt: time(flags.expiresAt),
    });
    const references = tokens.references.join(' ');
    insertTrace.run({ id, deliveredTo, tag, envelope, own: tokens.own, references });
  };
}

/** Writes the rows that one email's messages share. Throws StoreUnavailable for a body that was removed in the meantime. */
function mailInsertion(db: DatabaseSync): (mail: PreparedMail, messages: number) => Id {
  const bodies = bodyRows(db);
  const content = query(
    db,
    `INSERT INTO content (body_id, json, text, html)
     VALUES (:body, CAST(:json AS TEXT), CAST(:text AS TEXT), CAST(:html AS TEXT))`,
  );
  const search = query(
    db,
    `INSERT INTO search (body_id, subject, sender, recipients, text)
     VALUES (:body, :subject, :sender, :recipients, CAST(:text AS TEXT))`,
  );
  const store = ({ body, sizeBytes }: PreparedMail, messages: number): Id => {
    if ('bodyId' in body) {
      if (bodies.claim(body.bodyId, sizeBytes, messages)) return body.bodyId;
      throw new StoreUnavailable(`The body ${body.bodyId} no longer exists`);
    }
    const { bytes } = body;
    const id = bodies.insert(bytes.length, messages);
    for (let piece = 0; piece * pieceBytes < bytes.length; piece += 1) {
      bodies.insertPiece(id, piece, bytes.subarray(piece * pieceBytes, (piece + 1) * pieceBytes));
    }
    return id;
  };
  return (mail, messages) => {
    const body = store(mail, messages);
    const { json, text, html } = mail;
    content.run({ body, json, text, html });
    search.run({ body, ...mail.search });
    return body;
  };
}
