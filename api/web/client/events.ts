import { signal } from '@preact/signals';
import type { Client } from './client.ts';
import type { MailEvent } from './shapes.ts';

type Listener = (event: MailEvent) => void;

const path = '/api/events?types=message.received,message.deleted,message.updated';
const kinds = ['new-message', 'message-deleted', 'message-updated', 'resync'];
const maxPauseMs = 15_000;
/** Gap in ms between two timer ticks that suggests the machine has slept. The stream may then be dead without a close event. */
const sleptMs = 20_000;

/** Creates the stream of the team's events. The stream reconnects after lost connections and after sleep. */
export function createEvents({ inTeam, checkSession, hasLeft }: Client) {
  const connection = signal<'connecting' | 'open' | 'lost'>('connecting');
  const listeners = new Set<Listener>();
  let source: EventSource | null = null;
  let last = 0;
  let failures = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let ticked = Date.now();

  /** Calls `listener` for each event of the stream, once and in order. Returns a function that stops this. */
  function onMailEvent(listener: Listener): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Follows the events after a list's event number `cursor`. */
  function followEvents(cursor: number): void {
    last = Math.max(last, cursor);
    if (source === null) open();
  }

  function open(): void {
    clearTimeout(retry);
    source?.close();
    source = new EventSource(inTeam(`${path}&last_event_id=${last}`));
    source.onopen = () => {
      failures = 0;
      connection.value = 'open';
    };
    source.onerror = () => {
      connection.value = 'lost';
      // The browser reconnects by itself after a break, but not after a response that is not a stream (restart, 429, 401).
      if (source?.readyState === EventSource.CLOSED) {
        retry = setTimeout(reopen, Math.min(maxPauseMs, 500 * 2 ** failures++));
      } else {
        // The server ends a user's stream when the user signs out or leaves the team.
        void checkSession();
      }
    };
    for (const kind of kinds) source.addEventListener(kind, take);
  }

  /** Reopens the stream. Checks the session first, because the check detects a lost session, whereas the stream would only fail. */
  async function reopen(): Promise<void> {
    await checkSession();
    if (source !== null) open();
  }

  function take(frame: MessageEvent<string>): void {
    if (frame.lastEventId !== '') last = Number(frame.lastEventId);
    const event: MailEvent = JSON.parse(frame.data);
    for (const listener of listeners) listener(event);
  }

  setInterval(() => {
    const slept = Date.now() - ticked > sleptMs;
    ticked = Date.now();
    if (slept && source !== null) open();
  }, 5000);
  addEventListener('online', () => source !== null && open());
  hasLeft.subscribe((left) => {
    if (!left) return;
    clearTimeout(retry);
    source?.close();
    source = null;
    last = 0;
    connection.value = 'connecting';
  });
  return { connection, onMailEvent, followEvents };
}

export type Events = ReturnType<typeof createEvents>;
