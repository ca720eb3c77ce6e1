import { setTimeout as delay } from 'node:timers/promises';
import type { CatcherCall } from '#api/catchers/route.ts';
import type { Send } from '#api/event-stream.ts';
import { countAll, countUnread } from '#api/mailpit/listing.ts';
import { presentSummary } from '#api/mailpit/presented.ts';
import { NotFound } from '#core/errors.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { readMessage } from '#core/messages/read-message.ts';
import { turnOf } from '#gate/event-loop.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Delay in ms before counting. Changes during that time are counted together. */
const statsMs = 250;

/** Maximum messages whose state is remembered, to find out what a change has changed. */
const mostKnown = 1000;

const frame = (type: string, data: object | null) => Buffer.from(JSON.stringify({ Type: type, Data: data }));

/** Frame that makes a client read its list again. */
export const missed = frame('prune', null);

type Viewer = Pick<CatcherCall, 'services' | 'caller'>;

/** Returns a string for what a caller may see. Callers with the same string share the same frames. */
const viewOf = ({ caller: { team, accountIds } }: Viewer) => `${team} ${accountIds?.join() ?? 'all'}`;

/** Presents events in Mailpit's format. Callers with the same view share what was read. */
export class MailpitFrames {
  readonly #made = new WeakMap<MailEvent, Map<string, Promise<Buffer[]>>>();
  readonly #counting = new Map<string, Set<Send>>();
  readonly #known = new Map<Id, { isRead: boolean; tags: string }>();

  /** Sends events one after another while `isOpen`, then the message counts. */
  async send(viewer: Viewer, events: MailEvent[], send: Send, isOpen: () => boolean): Promise<void> {
    for (const event of events) {
      if (!isOpen()) return;
      await send(await this.#framesOf(viewer, event));
    }
    if (events.length > 0) void this.#count(viewer, send);
  }

  #framesOf(viewer: Viewer, event: MailEvent): Promise<Buffer[]> {
    const known = this.#made.get(event) ?? new Map<string, Promise<Buffer[]>>();
    this.#made.set(event, known);
    // Everybody who receives an update may read its messages, and only the first request for it sees what changed.
    const view = event.type === 'message.updated' ? `${viewer.caller.team}` : viewOf(viewer);
    const frames = known.get(view) ?? this.#present(viewer, event);
    known.set(view, frames);
    return frames;
  }

  /** Presents an event. A deleted message has no frames because its deletion follows. An unreadable message has the gap frame. */
  async #present({ services, caller }: Viewer, event: MailEvent): Promise<Buffer[]> {
    if (event.type === 'message.deleted') return [frame('delete', { ID: String(event.messageId) })];
    const frames: Buffer[] = [];
    for (const id of ('messageIds' in event && event.messageIds) || [event.messageId]) {
      await turnOf(caller.userId);
      try {
        const summary = presentSummary(await readMessage(services, caller.team, id));
        const changes = this.#changesOf(id, summary);
        if (event.type === 'message.received') frames.push(frame('new', summary));
        else if (changes !== null) frames.push(frame('update', { ID: String(id), ...changes }));
      } catch (error) {
        if (!(error instanceof NotFound)) return [missed];
      }
    }
    return frames;
  }

  /** Returns the changes since the known state: everything if no state is known, or null if nothing changed. */
  #changesOf(id: Id, { Read, Tags }: { Read: boolean; Tags: string[] }): object | null {
    const before = this.#known.get(id);
    const tags = Tags.join();
    this.#known.delete(id);
    this.#known.set(id, { isRead: Read, tags });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    const changes = { ...(before?.isRead !== Read && { Read }), ...(before?.tags !== tags && { Tags }) };
    return Object.keys(changes).length === 0 ? null : changes;
  }

  async #count(viewer: Viewer, send: Send): Promise<void> {
    const view = viewOf(viewer);
    const asked = this.#counting.get(view);
    if (asked !== undefined) return void asked.add(send);
    const asking = new Set([send]);
    this.#counting.set(view, asking);
    while (asking.size > 0) {
      await delay(statsMs);
      await turnOf(viewer.caller.userId);
      const sends = [...asking];
      asking.clear();
      // A store that does not respond yields no counts. The next change counts again.
      const frames = await counted(viewer).catch(() => []);
      for (const one of sends) void one(frames);
    }
    this.#counting.delete(view);
  }
}

/** Counts the messages. A count of zero means that all messages have been deleted. */
async function counted({ services, caller }: Viewer): Promise<Buffer[]> {
  const call = { services, caller, signal: AbortSignal.timeout(limits.answers.searchMs) };
  const [total, unread] = [await countAll(call), await countUnread(call)];
  const stats = frame('stats', { Total: total, Unread: unread, Version: programVersion });
  return total === 0 ? [frame('truncate', null), stats] : [stats];
}
