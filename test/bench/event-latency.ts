import { setTimeout as sleep } from 'node:timers/promises';
import { followEvents } from './follow-events.ts';
import { callJson } from './http-client.ts';
import type { Contender } from './servers.ts';
import { sendSteadily } from './steady-mail.ts';

/** Time in ms after which missing frames count as lost. */
const patienceMs = 10_000;

export type SteadyLoad = { mails: number; rate: number; first: number };

/** Measures times in ms from each email's 250 to its frame on an open stream. Below 0 if the frame arrived first. */
export async function eventLatencies(server: Contender, load: SteadyLoad): Promise<number[]> {
  const toldAt = new Map<string, number>();
  const stop = await followEvents(server, (id, at) => toldAt.set(id, at));
  const storedAt = await sendSteadily(server, load);
  const deadline = performance.now() + patienceMs;
  while (toldAt.size < load.mails && performance.now() < deadline) await sleep(10);
  stop();
  return [...storedAt].map(([id, at]) => {
    const told = toldAt.get(id);
    if (told === undefined) throw new Error(`${server.name} never told of message ${id}`);
    return told - at;
  });
}

type Answer = { cursor: number; items: { id: number }[] };

/**
 * Measures times in ms from an email's 250 to the response of the `wait` request that it ends. Each request is sent after the previous
 * response. An email that was stored before the request is measured from the request. Sandpost only.
 */
export async function waitLatencies(server: Contender, load: SteadyLoad): Promise<number[]> {
  const answers: { id: string; asked: number; answered: number }[] = [];
  let sending = true;
  const ask = (query: string) => callJson<Answer>(server, 'GET', `${server.paths.list}${query}`);
  const waitOn = async () => {
    let { cursor } = await ask('');
    while (sending) {
      const asked = performance.now();
      const answer = await ask(`&wait=1&since=${cursor}`);
      const oldest = answer.items.at(-1);
      cursor = answer.cursor;
      if (oldest) answers.push({ id: String(oldest.id), asked, answered: performance.now() });
    }
  };
  const waiting = waitOn();
  const storedAt = await sendSteadily(server, load);
  sending = false;
  await waiting;
  return answers.map(({ id, asked, answered }) => answered - Math.max(asked, storedAt.get(id) ?? asked));
}
