import type { Journal } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';
import { unlikeness } from './like-addresses.ts';

/** Mail, recipient or sign-in that was refused. `to` is '' where it names no recipient. */
export type MissedRefusal = { refusalId: Id; to: string; reply: string; at: Date };

/** Refusal, and how unlike its recipient is to the asked address: 0.5 where it names none. */
export type Refused = { refusal: MissedRefusal; unlike: number };

export type RefusalPorts = {
  refusals: {
    list(team: Id, page: Page): Promise<Slice<{ id: Id; at: Date; rcptTo: string[]; reply: string }>>;
  };
  journal: Pick<Journal, 'read'>;
  clock: () => Date;
};

/** Number of the newest refusals that are looked at, and of those without the asked address that are returned. */
const mostSeen = 100;
const mostOthers = 2;
/** Time in ms in which a refusal that does not name the asked address may be of the mail that is waited for. */
const recentMs = 300_000;

/**
 * Lists the refusals of an address since an event of the team, and the recent ones of addresses like it and of no recipient. Newest
 * first, each reply to an address once.
 */
export async function nearRefusals(
  { refusals, journal, clock }: RefusalPorts,
  team: Id,
  address: string,
  after: number,
): Promise<Refused[]> {
  const { items } = await refusals.list(team, { page: 1, limit: mostSeen });
  if (items.length === 0) return [];
  const [start] = after > 0 ? await journal.read(team, after - 1, 1) : [];
  const since = start?.number === after ? start.at.getTime() : 0;
  const recent = clock().getTime() - recentMs;
  const near = items
    .map(({ id, rcptTo, reply, at }) => {
      const named = rcptTo.map((to) => ({ to, unlike: unlikeness(address, to) }));
      const [nearest = { to: '', unlike: 0.5 }] = named.sort((one, other) => one.unlike - other.unlike);
      const { to, unlike } = nearest;
      return { refusal: { refusalId: id, to, reply, at }, unlike };
    })
    .filter(({ refusal, unlike }) => {
      const at = refusal.at.getTime();
      return at >= since && (unlike === 0 || (unlike < 3 && at >= recent));
    });
  const by = Map.groupBy(near, ({ refusal: { to, reply }, unlike }) => `${unlike === 0 ? '' : to} ${reply}`);
  const once = [...by.values()].flatMap((same) => same.slice(0, 1));
  return [
    ...once.filter(({ unlike }) => unlike === 0),
    ...once.filter(({ unlike }) => unlike > 0).slice(0, mostOthers),
  ];
}
