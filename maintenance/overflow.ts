import type { Account, AccountStore } from '#core/accounts/account.ts';
import { hasRoom, lacking, type Room } from '#core/accounts/room.ts';
import type { Overflow, OverflowHandler } from '#core/delivery/delivery.ts';
import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { MessageStore } from '#core/messages/message.ts';
import type { Log } from '#telemetry/log.ts';

type Ports = {
  accounts: Pick<AccountStore, 'find' | 'markFull'>;
  messages: Pick<MessageStore, 'removeSome'>;
  bus: EventBus;
  log: Log;
  clock: () => Date;
};

/** Share of an account's space that is freed in addition to what an email lacks. */
const spareShare = 0.01;

export function createOverflowHandler(ports: Ports, dropsOldest: Id | null = null): OverflowHandler {
  const { accounts, messages, bus, log, clock } = ports;
  const minutes = createMinuteLog();
  let turns: Promise<unknown> | null = null;
  const reportAccount = async ({ owner, accountId, load }: Overflow, times: number) => {
    const account = await accounts.find(owner, accountId);
    // Somebody may have freed up space in the meantime.
    if (account === null || hasRoom(roomOf(account), load)) return;
    const { address, storageLimit, usedBytes } = account;
    if (hasRoom({ storageLimit, usedBytes: 0, messages: 0 }, load) || usedBytes >= storageLimit) {
      await accounts.markFull(owner, accountId, clock());
    }
    const fields = { event: 'account.full', account: address, used: usedBytes, limit: storageLimit, times };
    log.warn(fields, 'an account is full and refuses mail');
  };
  return {
    dropsOldest,
    get turns() {
      return turns;
    },
    inTurn(work) {
      const turn = (turns ?? Promise.resolve()).then(work);
      const over = turn.then(
        () => {},
        () => {},
      );
      turns = over;
      over.then(() => {
        if (turns === over) turns = null;
      });
      return turn;
    },
    async makeRoom({ owner, accountId, load }) {
      if (accountId !== dropsOldest) return false;
      const account = await accounts.find(owner, accountId);
      if (account === null || load.bytes > account.storageLimit) return false;
      const lacks = lacking(roomOf(account), load);
      if (lacks.bytes + lacks.messages === 0) return true;
      // Frees more than it lacks, so that the next emails fit at once: an email that does not takes four times as long.
      const bytes = lacks.bytes + Math.ceil(account.storageLimit * spareShare);
      const oldest = { oldestOf: accountId, load: { ...lacks, bytes } };
      const commit = await messages.removeSome(owner, oldest, limits.owned.droppedAtOnce);
      bus.announce(owner, commit.events);
      if (commit.result > 0) return true;
      // Somebody may have removed mail in the meantime.
      const after = await accounts.find(owner, accountId);
      return after !== null && hasRoom(roomOf(after), load);
    },
    accountRefused(mail) {
      minutes.count(`account ${mail.accountId}`, (times) => {
        reportAccount(mail, times).catch((err) => log.warn({ err }, 'could not mark a full account'));
      });
    },
    diskRefused() {
      minutes.count('disk', (times) =>
        log.warn(
          { event: 'store.full', times },
          "the store's disk is full: Sandpost refuses mail and other writes",
        ),
      );
    },
  };
}

function roomOf({ storageLimit, usedBytes, mailboxes }: Account): Room {
  return { storageLimit, usedBytes, messages: mailboxes.reduce((sum, { total }) => sum + total, 0) };
}

const minuteMs = 60_000;

/** Maximum number of causes that are counted at a time. Further causes are reported once a count is free. */
const maxCauses = 1000;

/** Reports a cause that has occurred `times` times since its last report. */
type Report = (times: number) => void;

/**
 * Limits reports of causes that may occur with every email: the first is reported immediately, and then at most one per minute, with the
 * number of occurrences.
 */
export function createMinuteLog(everyMs = minuteMs): { count(cause: string, report: Report): void } {
  const counted = new Map<string, { times: number; report: Report }>();
  const endMinute = (cause: string) => {
    const minute = counted.get(cause);
    counted.delete(cause);
    if (minute === undefined || minute.times === 0) return;
    begin(cause, minute.report);
    minute.report(minute.times);
  };
  const begin = (cause: string, report: Report) => {
    counted.set(cause, { times: 0, report });
    setTimeout(endMinute, everyMs, cause).unref();
  };
  return {
    count(cause, report) {
      const minute = counted.get(cause);
      if (minute !== undefined) {
        minute.times += 1;
        minute.report = report;
      } else if (counted.size < maxCauses) {
        begin(cause, report);
        report(1);
      }
    },
  };
}
