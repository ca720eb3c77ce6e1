import type { DeliveryStore, DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import type { FailureSimulator } from '#core/delivery/failure-simulator.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { MailExaminer } from '#core/messages/examine.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import { type ParentSpan, parentOf } from '#core/messages/trace-context.ts';
import type { Waits } from '#core/messages/waits.ts';
import type { Store } from '#core/store.ts';
import type { Times, Tracer } from './tracer.ts';

/** Maximum message ids in one span. */
export const mostIds = 10;
/** Maximum age at which a message's read counts as its first. */
export const newMs = 3_600_000;

/** Ports that email with a recorded trace passes through. */
type Ports = {
  examiner: MailExaminer;
  deliveries: DeliveryStore;
  failureSimulator: FailureSimulator;
  waits: Waits;
  store: Store;
};

/** Outcome of an email: `stored`, `discarded`, or the reason why the email was not stored. */
type Outcome = { result: string; ids: Id[] };

/**
 * Wraps the ports that an email passes through, so an email whose trace is recorded creates spans in that trace: *receive*, with
 * *examine* and *commit* below it, and *first read*. Email without such a trace is unaffected.
 */
export function traceMail(ports: Ports, tracer: Tracer): Ports {
  const { examiner, deliveries, failureSimulator, waits, store } = ports;
  const examined = new WeakMap<ParentSpan, Times>();
  const reads = createFirstReads(tracer);

  const record = (mail: PreparedMail, { result, ids }: Outcome, commit: Times | null): void => {
    const { parent: sender, sizeBytes, receivedAt } = mail;
    const team = mail.targets[0]?.owner;
    if (sender === null || team === undefined) return;
    const failed = result !== 'stored' && result !== 'discarded';
    const size = { 'sandpost.mail.bytes': sizeBytes };
    const outcome = { 'sandpost.result': result };
    const attributes = { ...size, ...outcome, 'sandpost.message.ids': ids.slice(0, mostIds) };
    const times = { startMs: receivedAt.getTime(), endMs: commit?.endMs ?? Date.now() };
    const parent = tracer.record({ name: 'receive', parent: sender, team, ...times, failed, attributes });
    const reading = examined.get(sender);
    if (parent !== null && reading !== undefined)
      tracer.record({ name: 'examine', parent, team, ...reading, attributes: size });
    if (parent !== null && commit !== null)
      tracer.record({ name: 'commit', parent, team, ...commit, failed, attributes: outcome });
    for (const id of ids) reads.expect(id, sender);
  };

  return {
    examiner: {
      close: () => examiner.close(),
      async examine(source, arrival) {
        const times = begin();
        const mail = await examiner.examine(source, arrival);
        if (mail.parent !== null) examined.set(mail.parent, times());
        return mail;
      },
    },
    deliveries: {
      ...deliveries,
      async commit(mails, options) {
        const times = begin();
        try {
          const verdicts = await deliveries.commit(mails, options);
          for (const [at, mail] of mails.entries()) record(mail, outcomeOf(verdicts[at]), times());
          return verdicts;
        } catch (error) {
          for (const mail of mails) record(mail, { result: 'error', ids: [] }, times());
          throw error;
        }
      },
    },
    failureSimulator: {
      async simulate(context) {
        const verdict = await failureSimulator.simulate(context);
        if (verdict.reply !== null || verdict.cut !== null)
          for (const mail of context.prepared ?? []) record(mail, { result: 'on-purpose', ids: [] }, null);
        return verdict;
      },
    },
    waits: {
      async wait(owner, ...terms) {
        const waited = await waits.wait(owner, ...terms);
        const times = { startMs: Date.now(), endMs: Date.now() };
        for (const message of waited.list.items) reads.read(message, owner, null, times);
        return waited;
      },
    },
    store: {
      ...store,
      reader() {
        const reader = store.reader();
        const find: typeof reader.messages.find = async (owner, id, visibility) => {
          const times = begin();
          const message = await reader.messages.find(owner, id, visibility);
          if (message !== null) reads.read(message, owner, parentOf(message.content), times());
          return message;
        };
        return { ...reader, messages: { ...reader.messages, find } };
      },
    },
  };
}

/** Starts a clock. Returns a function that returns the start time and the time when it is called. */
function begin(): () => Times {
  const startMs = Date.now();
  const started = performance.now();
  return () => ({ startMs, endMs: startMs + performance.now() - started });
}

function outcomeOf(verdict: DeliveryVerdict | undefined): Outcome {
  if (verdict === undefined) return { result: 'error', ids: [] };
  if ('reason' in verdict) return { result: verdict.reason, ids: [] };
  return { result: verdict.ids.length > 0 ? 'stored' : 'discarded', ids: verdict.ids };
}

/** Creates the record of first reads. A process remembers a bounded number of messages that it stored or read. */
function createFirstReads(tracer: Tracer) {
  /** Senders of unread messages that this process stored. Null once a message has been read. */
  const known = new Map<Id, ParentSpan | null>();

  /** Records a stored message. */
  const expect = (id: Id, sender: ParentSpan | null): void => {
    known.delete(id);
    known.set(id, sender);
    const [oldest] = known.keys();
    if (known.size > limits.spans.reads && oldest !== undefined) known.delete(oldest);
  };

  /** Records a message's first read. `named`: the sender in its content, since another process may have stored it. */
  const read = (message: MessageSummary, team: Id, named: ParentSpan | null, times: Times): void => {
    const { id, traceId, isRead, receivedAt } = message;
    if (traceId === null) return;
    const ageMs = times.startMs - receivedAt.getTime();
    const before = known.get(id);
    const sender = before === undefined && !isRead && ageMs < newMs ? named : before;
    if (sender === undefined || sender === null) return;
    expect(id, null);
    const attributes = { 'sandpost.message.ids': [id], 'sandpost.message.age_ms': Math.max(0, ageMs) };
    tracer.record({ name: 'first read', parent: sender, team, ...times, attributes });
  };

  return { expect, read };
}
