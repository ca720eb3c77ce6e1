import { Invalid, SearchTimeout } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { listMessages } from '#core/messages/list-messages.ts';
import { filterWith } from '#core/messages/message-filter.ts';
import type { Query } from '#core/messages/query.ts';
import { Slots } from '#gate/slots.ts';
import type { Services } from '#setup/services.ts';
import { durationMs } from '../duration.ts';
import { defineKind, type Kind, ofKind } from '../kind.ts';
import { keyOfManager, managerOf } from '../manager.ts';
import type { ReconcilePorts, View } from '../reconcile.ts';
import { NotLeading } from '../runtime/failures.ts';
import { isDeleted, type Resource } from '../runtime/resource.ts';
import { Arrivals } from './arrivals.ts';
import {
  decideMailExpectation,
  finishedAt,
  isFinished,
  type MailExpectationEffect,
  type MailExpectationResource,
  type MailExpectationView,
  queryOf,
  type Wait,
} from './decide.ts';
import { cursorAt, inTime, startTimes } from './start.ts';

const name = 'MailExpectation';
/** Maximum number of messages to read, which is the most that an expectation can wait for. */
const page = { page: 1, limit: 200 };
/** Maximum time in ms until a resource that waits for a point in time is checked again. Timers are limited to 24 days. */
const longestMs = 3_600_000;

export function createMailExpectationKind(services: Services): Kind {
  const { journal, clock, metrics, log } = services;
  const search = (owner: number, query: Query, cursor: number, limit = page) =>
    listMessages(services, owner, filterWith({}, query), { cursor }, limit, { look: true });
  const arrivals = new Arrivals({
    feed: services.feed,
    head: async (team) => (await journal.heads([team])).get(team) ?? 0,
    async isThere(team, query, cursor) {
      const one = { page: 1, limit: 1 };
      return (await search(team, query, cursor, one)).total > 0;
    },
    slots: new Slots(limits.answers.mailExpectations),
    onError: (err) => log.warn({ err }, 'a search for expected mail failed; retrying'),
  });
  /** Time at which the creation of each new resource was noticed. */
  const seen = new Map<string, Date>();

  /** Decides when a wait begins and ends. The status records both for later operators. */
  const waitOf = async (resource: MailExpectationResource, owner: number, created: Date): Promise<Wait> => {
    const { spec, status = {}, metadata } = resource;
    if (status.cursor !== undefined && status.expiresAt !== undefined)
      return { cursor: status.cursor, expiresAt: status.expiresAt };
    const start = startTimes(created, seen.get(managerOf(metadata)));
    const end = start.within.getTime() + durationMs(spec.within ?? '5m');
    return { cursor: await cursorAt(journal, owner, start.mail), expiresAt: new Date(end).toISOString() };
  };

  const gather = async (known: View<MailExpectationResource>): Promise<MailExpectationView> => {
    const { resource, owner } = known;
    const view = { ...known, refusal: null, wait: null, found: [], hindrance: null, now: clock() };
    if (isDeleted(resource)) return view;
    try {
      const asked = queryOf(resource);
      if (owner === null) return view;
      const created = new Date(resource.metadata.creationTimestamp ?? view.now);
      const wait = await waitOf(resource, owner, created);
      const query = inTime(asked, wait, created, view.now);
      const wanted = { name: managerOf(resource.metadata), query, cursor: wait.cursor };
      const isHeard = await arrivals.expect(owner, wanted);
      if (!isHeard) metrics.limitReached('answers.mailExpectations');
      const list = await search(owner, query, wait.cursor).catch((error) => {
        if (error instanceof SearchTimeout) return null;
        throw error;
      });
      if (list === null) return { ...view, wait, hindrance: 'SearchTimeout' };
      return { ...view, wait, hindrance: isHeard ? null : 'TooMany', found: list.items };
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      error.limits.forEach(metrics.limitReached);
      return { ...view, refusal: error };
    }
  };

  const kind = defineKind<MailExpectationResource, MailExpectationView, MailExpectationEffect>({
    name,
    plural: 'mailexpectations',
    isOptional: true,
    objects: [],
    listener: {
      async listen(onChange, signal) {
        await arrivals.listen((manager) => onChange(keyOfManager(name, manager)), signal);
        seen.clear();
      },
      notice(key, resource, isCreated) {
        const manager = managerOf(key);
        if (resource === undefined || isFinished(own(resource))) arrivals.forget(manager);
        if (isCreated) seen.set(manager, clock());
        else if (resource === undefined || own(resource).status?.cursor !== undefined) seen.delete(manager);
      },
    },
    reconciler: {
      identity: ['to', 'from', 'subject', 'q', 'count', 'within'],
      gather,
      decide: decideMailExpectation,
      // Nothing is left to do, because the namespace's team is created before any effect.
      act: async () => {},
    },
  });

  /** Deletes a finished expectation whose time is up. Returns the delay in ms until then, or null. */
  const retire = async (ports: ReconcilePorts, resource: MailExpectationResource, finished: Date) => {
    arrivals.forget(managerOf(resource.metadata));
    const { ttlAfterFinished } = resource.spec;
    if (ttlAfterFinished === undefined || isDeleted(resource)) return null;
    const ttlMs = durationMs(ttlAfterFinished);
    // The recorded end is truncated to a second, so the actual end may be up to one second later.
    const leftMs = finished.getTime() + (ttlMs && ttlMs + 1000) - clock().getTime();
    if (leftMs > 0) return leftMs;
    if (!ports.isLeading()) throw new NotLeading();
    await ports.api.remove(resource);
    return null;
  };
  return {
    ...kind,
    async reconcile(ports, resource) {
      let newest = own(resource);
      const onWritten = (written: Resource) => {
        ports.onWritten(written);
        newest = own(written);
      };
      const waitMs = isFinished(newest) ? null : await kind.reconcile({ ...ports, onWritten }, resource);
      const finished = finishedAt(newest);
      const laterMs = finished === null ? waitMs : await retire(ports, newest, finished);
      return laterMs && Math.min(laterMs, longestMs);
    },
  };
}

const own = (resource: Resource) => ofKind<MailExpectationResource>(name, resource);
