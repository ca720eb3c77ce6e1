import type { DatabaseSync } from 'node:sqlite';
import { bodyRows, pieceBytes } from '#core/adapters/stores/sqlite/bodies/bodies.ts';
import { journalAppender } from '#core/adapters/stores/sqlite/journal.ts';
import { mailboxCounter } from '#core/adapters/stores/sqlite/messages/message-writes.ts';
import { conversations, packTokens } from '#core/adapters/stores/sqlite/threads/conversations.ts';
import { bit, query, time } from '#core/adapters/stores/sqlite/workers/query.ts';
import type { DeliveryTarget, DeliveryVerdict, Restored } from '#core/delivery/delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { EncodedMail, EncodedTarget } from './encode-mail.ts';

/** A target that may be written to, and the mailbox that it meant. */
export type Place = { target: EncodedTarget; mailboxId: Id };

type Insertion = (mail: EncodedMail, places: Place[]) => DeliveryVerdict;

/** Writes all messages of a mail: the only place where messages come from. */
export function messageInsertion(db: DatabaseSync): Insertion {
  const journal = journalAppender(db);
  const storeBody = bodyInsertion(db);
  const threads = conversations(db);
  const count = mailboxCounter(db);
  const head = query<{ head: number }>(db, 'SELECT head FROM user WHERE id = :owner');
  const charge = query(db, 'UPDATE account SET used_bytes = used_bytes + :bytes WHERE id = :account');
  const insert = query(
    db,
    `INSERT INTO message (owner, account_id, mailbox_id, number, copy, received_at, expires_at, auto_delete, is_read,
       is_flagged, has_attachments, size_bytes, body_id, msgid, from_address, from_name, subject, intro, to_addresses, own_recipients)
     VALUES (:owner, :account, :mailbox, :number, :copy, :receivedAt, :expiresAt, :autoDelete, :isRead,
       :isFlagged, :hasAttachments, :bytes, :body, :msgid, :fromAddress, :fromName, :subject, :intro, :toAddresses, :ownRecipients)`,
  );
  const insertTrace = query(
    db,
    `INSERT INTO trace (message_id, delivered_to, tag, envelope, own_token, reference_tokens)
     VALUES (:id, :deliveredTo, :tag, :envelope, :own, :references)`,
  );

  const insertMessage = (mail: EncodedMail, body: Id, { target, mailboxId }: Place, number: number): Id => {
    const { owner, accountId: account, fromAddress, fromName, toAddresses, ownRecipients } = target;
    const { sizeBytes: bytes, receivedAt, hasAttachments, msgid, subject, intro, tokens } = mail;
    const { copy, isRead, isFlagged, autoDelete, expiresAt } = stateOf(target.mailbox);
    const what = { receivedAt, hasAttachments, bytes, body, msgid, subject, intro };
    const where = { owner, account, mailbox: mailboxId, number };
    const flags = {
      copy: bit(copy),
      isRead: bit(isRead),
      isFlagged: bit(isFlagged),
      autoDelete: bit(autoDelete),
    };
    const state = { ...flags, expiresAt: time(expiresAt) };
    const people = { fromAddress, fromName, toAddresses, ownRecipients };
    const { id } = insert.run({ ...what, ...where, ...state, ...people });
    const { deliveredTo, tag, envelope } = target;
    const { own } = tokens;
    insertTrace.run({ id, deliveredTo, tag, envelope, own, references: packTokens(tokens.references) });
    threads.join(account, id, tokens);
    count(mailboxId, { isRead, copy, sizeBytes: bytes }, 1);
    charge.run({ account, bytes });
    return id;
  };

  return (mail, places) => {
    const body = storeBody(mail, places.length);
    const at = new Date();
    let firstReceived: number | null = null;
    const commits = new Map<Id, Committed<Id[]>>();
    const ids = places.map((place) => {
      const { owner, accountId, mailbox } = place.target;
      const received = mailbox === 'INBOX';
      const current = firstReceived ?? head.get({ owner })?.head ?? 0;
      // A restored message takes a number that no event stands under: its place in the order.
      const number = mailbox === 'Sent' ? current : journal.next(owner);
      const id = insertMessage(mail, body, place, number);
      const commit = commits.get(owner) ?? { owner, result: [], events: [] };
      commits.set(owner, commit);
      commit.result.push(id);
      if (received) {
        firstReceived ??= number;
        const where = { messageId: id, messageNumber: number, accountId, mailboxId: place.mailboxId };
        const event: MailEvent = { number, type: 'message.received', ...where, at, subject: mail.subject };
        journal.append(owner, event);
        commit.events.push(event);
      }
      return id;
    });
    return { ids, commits: [...commits.values()].sort((a, b) => a.owner - b.owner) };
  };
}

/** A new message is unread, a copy in Sent is read, and one out of an archive is as it was. */
function stateOf(mailbox: DeliveryTarget['mailbox']): Omit<Restored, 'id'> {
  if (typeof mailbox !== 'string') return mailbox;
  const copy = mailbox === 'Sent';
  return { isRead: copy, isFlagged: false, expiresAt: null, autoDelete: true, copy };
}

/** Stores what the messages of one mail share. */
function bodyInsertion(db: DatabaseSync): (mail: EncodedMail, messages: number) => Id {
  const bodies = bodyRows(db);
  const content = query(
    db,
    'INSERT INTO content (body_id, detail, text, html) VALUES (:body, :detail, CAST(:text AS TEXT), CAST(:html AS TEXT))',
  );
  const search = query(
    db,
    `INSERT INTO search (body_id, subject, sender, recipients, text)
     VALUES (:body, :subject, :sender, :recipients, CAST(:text AS TEXT))`,
  );
  const store = (mail: EncodedMail, messages: number): Id => {
    if (typeof mail.body === 'number') {
      if (bodies.claim(mail.body, mail.sizeBytes, messages)) return mail.body;
      throw new StoreUnavailable(`The body ${mail.body} is gone`);
    }
    const id = bodies.insert(mail.body.length, messages);
    for (let piece = 0; piece * pieceBytes < mail.body.length; piece += 1) {
      bodies.insertPiece(id, piece, mail.body.subarray(piece * pieceBytes, (piece + 1) * pieceBytes));
    }
    return id;
  };
  return (mail, messages) => {
    const body = store(mail, messages);
    const { detail, text, html } = mail;
    content.run({ body, detail, text, html });
    search.run({ body, ...mail.search });
    return body;
  };
}
