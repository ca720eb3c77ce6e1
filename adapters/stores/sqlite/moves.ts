import type { DatabaseSync } from 'node:sqlite';
import { facts } from '#adapters/stores/rows/facts.ts';
import { readMoveState } from '#adapters/stores/rows/nouns.ts';
import { smallReads } from '#adapters/stores/rows/ports.ts';
import { runSync } from '#adapters/stores/rows/steps.ts';
import { rowDriver } from '#adapters/stores/sqlite/rows/driver.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, limited, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Domain } from '#core/domains/domain.ts';
import { type DomainMoves, judgeMove, type MoveStep, renumbering } from '#core/domains/move.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { journalAppender } from './journal.ts';

export type MoveWrites = Sync<DomainMoves>;

type Move = { domain: Id; from: Id; to: Id; active: number; shift: number; newest: number };
type MessageRow = { id: Id; owner: Id; number: number; mailbox_id: Id; conversation_id: Id | null };

/** Work that an account adds to a step, as a number of messages. An account has up to 100 mailboxes. */
const accountWork = 10;

/**
 * Moves domains. A moving domain's owner is the negative of its id, which `isNotDeleted` checks. Accounts and mailboxes get their new
 * owner with their messages, while the domain still hides them.
 */
export function moveWrites(db: DatabaseSync): MoveWrites {
  const run = rowDriver(db);
  const find = (owner: Id, id: Id) => runSync(facts.domain({ team: owner, domain: id }, {}), run);
  const advance = moveSteps(db);
  const totals = query<{ accounts: number; messages: number }>(
    db,
    `SELECT total AS messages, (SELECT count(*) FROM account INDEXED BY account_domain
       WHERE domain_id = :id AND deleted_at IS NULL) AS accounts FROM domain WHERE id = :id`,
  );
  const head = query<{ head: number }>(db, 'SELECT head FROM team WHERE id = :team');
  const hide = query(
    db,
    'UPDATE domain SET owner = -:id, active = 0, updated_at = :at WHERE id = :id AND deleted_at IS NULL',
  );
  const note = query(
    db,
    `INSERT INTO domain_move (domain_id, from_team, to_team, active, shift, newest)
     VALUES (:domain, :from, :to, :active, :shift, :newest)`,
  );
  const forgetSubjects = query(
    db,
    `UPDATE event SET subject = '' WHERE owner = :owner AND type = 'message.received'
       AND account_id IN (SELECT id FROM account INDEXED BY account_domain WHERE domain_id = :id AND deleted_at IS NULL)`,
  );
  const columns = 'domain_id AS domain, from_team AS "from", to_team AS "to", active, shift, newest';
  const byId = query<Move>(db, `SELECT ${columns} FROM domain_move WHERE domain_id = :id`);
  const oldest = query<Move>(db, `SELECT ${columns} FROM domain_move ORDER BY domain_id LIMIT 1`);

  const moved = (domain: Domain, to: Id, active: boolean): Domain => ({ ...domain, owner: to, active });
  const begun = (domain: Domain, to: Id, limit: number, now: Date): Move => {
    const { id, owner: from, active } = domain;
    const { accounts, messages } = totals.get({ id }) ?? { accounts: 0, messages: 0 };
    const heads = { from: head.get({ team: from })?.head ?? 0, to: head.get({ team: to })?.head ?? 0 };
    const numbers = renumbering(heads, messages + accountWork * accounts < limit);
    const move = { domain: id, from, to, active: bit(active), ...numbers };
    note.run(move);
    forgetSubjects.run({ owner: from, id });
    hide.run({ id, at: now.getTime() });
    return move;
  };
  return {
    begin(owner, id, to, { quotas, limit, now }) {
      const domain = find(owner, id);
      if (domain === null) {
        const hidden = find(-id, id);
        const move = byId.get({ id });
        if (hidden === null || move?.from !== owner || move.to !== to) return null;
        return { domain: moved(hidden, to, move.active === 1), ...advance(move, limit, now) };
      }
      const refusal = judgeMove(runSync(readMoveState(domain, to), run), quotas);
      if (refusal !== null) return refusal;
      const step = advance(begun(domain, to, limit, now), limit, now);
      return { domain: { ...moved(domain, to, domain.active), updatedAt: now }, ...step };
    },
    step(id, limit, now) {
      const move = id === null ? oldest.get() : byId.get({ id });
      return move === undefined ? null : advance(move, limit, now);
    },
  };
}

/** Returns a function that performs one step of a move, in the caller's transaction. */
function moveSteps(db: DatabaseSync): (move: Move, limit: number, now: Date) => MoveStep {
  const journal = journalAppender(db);
  const finish = moveEnd(db);
  const nextAccount = query<{ id: Id }>(
    db,
    `SELECT id FROM account INDEXED BY account_domain
     WHERE domain_id = :domain AND deleted_at IS NULL AND owner <> :to LIMIT 1`,
  );
  // Messages that have already moved have numbers from `shift` up. Deleted mailboxes stay until their messages are removed.
  const unmoved = query<MessageRow>(
    db,
    `SELECT m.id, m.owner, m.number, m.mailbox_id, m.conversation_id
     FROM mailbox b INDEXED BY mailbox_account CROSS JOIN message m INDEXED BY message_mailbox
     WHERE b.account_id = :account AND b.deleted_at IS NULL AND m.mailbox_id = b.id AND m.number < :shift ${limited}`,
  );
  const move = query(db, 'UPDATE message SET owner = :to, number = number + :shift WHERE id = :id');
  const moveThread = query(
    db,
    'UPDATE conversation SET number = number + :shift WHERE id = :conversation AND earliest = :id',
  );
  const moveAccount = [
    'UPDATE mailbox SET owner = :to WHERE account_id = :account AND deleted_at IS NULL',
    'UPDATE account SET owner = :to WHERE id = :account',
  ].map((sql) => query(db, sql));

  const moveOne = (row: MessageRow, { to, shift }: Move, accountId: Id, at: Date) => {
    const { id, owner, number: messageNumber, mailbox_id: mailboxId, conversation_id: conversation } = row;
    move.run({ id, to, shift });
    if (conversation !== null) moveThread.run({ conversation, id, shift });
    const place = { messageId: id, messageNumber, accountId, mailboxId };
    const event: MailEvent = { number: journal.next(owner), type: 'message.deleted', ...place, at };
    journal.append(owner, event);
    return event;
  };
  return (moving, limit, now) => {
    const { domain, from, to, shift } = moving;
    const events: MailEvent[] = [];
    const result = (done: boolean): MoveStep => {
      return { commits: events.length === 0 ? [] : [{ owner: from, result: events.length, events }], done };
    };
    for (let left = limit; left > 0; ) {
      const account = nextAccount.get({ domain, to })?.id;
      if (account === undefined) {
        finish(moving);
        return result(true);
      }
      const rows = unmoved.all({ account, shift, limit: left });
      for (const row of rows) events.push(moveOne(row, moving, account, now));
      left -= rows.length;
      if (left === 0) break;
      for (const statement of moveAccount) statement.run({ account, to });
      left -= accountWork;
    }
    return result(false);
  };
}

function moveEnd(db: DatabaseSync): (move: Move) => void {
  const run = rowDriver(db);
  const endCapture = query(
    db,
    'UPDATE account SET capture = 0 WHERE domain_id = :domain AND capture = 1 AND deleted_at IS NULL',
  );
  const show = query(db, 'UPDATE domain SET owner = :to, active = :active WHERE id = :domain');
  const number = query(db, 'UPDATE team SET head = max(head + 1, :newest) WHERE id = :to');
  const forget = query(db, 'DELETE FROM domain_move WHERE domain_id = :domain');
  return ({ domain, to, active, newest }) => {
    // The team may have gained a capture account since the move started.
    if (runSync(smallReads.accounts.findCapture(to), run) !== null) endCapture.run({ domain });
    show.run({ domain, to, active });
    number.run({ to, newest });
    forget.run({ domain });
  };
}
