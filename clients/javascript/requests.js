import { SandpostError } from './sandpost-error.js';

/**
 * Requests as steps: generators that yield a request and receive its response, so they do not depend on what sends them. A request is
 * `{ method, path, query, body, bytes, seconds }`: `bytes` requests bytes instead of JSON, and the server responds within `seconds`. A
 * response is `{ status, version, retryAfter, body }`, or `{ lost }` with the cause of a lost connection. A body that is not JSON
 * is null. The step `{ pause }` waits, in seconds.
 */

const clientVersion = '@VERSION@';
/** Longest wait of one request, in seconds. Proxies commonly end a request after 60 s. */
const longestWait = 50;
/** Seconds for which the client repeats a request to a busy server: twice the minute of its limit. */
const patience = 120;
/** The same for a server that has not responded yet: its address may be wrong. */
const firstPatience = 2;
/** Seconds before the client repeats a request, if the server does not specify them. */
const pauses = { refused: 1, lost: 0.5 };

const now = () => performance.now() / 1000;

/** Reads a list of emails as soon as it has `count`, or at `clock.end`, by `now`. */
export function* waitForList(server, query, clock) {
  const { count, explain, ...plain } = query;
  const request = (left) => {
    // The last check does not wait: the server always has time for it.
    if (left === null) return get('/api/messages', plain);
    const wait = Math.min(longestWait, Math.max(0, Math.ceil(left)));
    return { ...get('/api/messages', { ...query, wait }), seconds: wait };
  };
  return yield* ask(server, request, clock, true);
}

/** Returns the clock of a wait that begins now. */
export const clockOf = (within) => ({ end: now() + within });

export const isOver = ({ end }) => now() >= end;

export function* getJson(server, path, query) {
  return yield* ask(server, () => get(path, query), clockOf(patience), false);
}

/** Reads bytes: a raw email, or an attachment. */
export function* readBytes(server, path) {
  return yield* ask(server, () => ({ ...get(path), bytes: true }), clockOf(patience), false);
}

/** Compares an email with the bytes of another one, in Base64. */
export function* compareMails(server, raw, id, mask, patterns) {
  const sides = { left: { raw, encoding: 'base64' }, right: { message_id: id } };
  const body = { ...sides, mask, mask_patterns: patterns };
  const request = { method: 'POST', path: '/api/compare', body, seconds: 0 };
  return yield* ask(server, () => request, clockOf(patience), false);
}

/** Evaluates SPF, DKIM and DMARC for an email with other facts. */
export function* authenticate(server, id, facts) {
  const request = { method: 'POST', path: `/api/messages/${id}/authentication`, body: facts, seconds: 0 };
  return yield* ask(server, () => request, clockOf(patience), false);
}

const get = (path, query = {}) => ({ method: 'GET', path, query, seconds: 0 });

/**
 * Sends a request until the server responds, and returns the body. Repeats it if the server is busy (429, 503), and a GET if the connection
 * is lost, until the deadline. `requestOf` creates the request from the remaining seconds. A wait then checks once more, with null for
 * the seconds, and reports the refusal if the server refuses that check, too.
 */
function* ask(server, requestOf, clock, isWait) {
  const begun = now();
  for (let isLast = false; ; ) {
    const request = requestOf(isLast ? null : clock.end - now());
    const answer = yield request;
    const { lost, status, retryAfter, body } = answer;
    if (lost === undefined) server.shared.isKnown = true;
    if (lost === undefined && status !== 429 && status !== 503) return read(server, answer);
    const pause = lost === undefined ? (retryAfter ?? pauses.refused) : pauses.lost;
    // A minute without requests does not count toward a wait.
    if (body?.code === 'rate_limited')
      clock.end = Math.max(clock.end, Math.min(clock.end + pause, begun + patience));
    const end = server.shared.isKnown ? clock.end : Math.min(clock.end, begun + firstPatience);
    const isGivenUp = isLast || (!isWait && now() + pause > end);
    if (isGivenUp || (lost !== undefined && (request.method !== 'GET' || now() + pause > end)))
      throw lost === undefined ? refusal(server, answer, now() - begun) : loss(server, lost, now() - begun);
    isLast = isWait && now() + pause >= end;
    yield { pause: isLast ? Math.max(0, end - now()) : pause };
  }
}

function loss({ url, shared }, cause, seconds) {
  const what = shared.isKnown
    ? `${url} has not responded for ${Math.round(seconds)} s.`
    : `No Sandpost server answers at ${url}: ${adviceOn(url)}.`;
  return new SandpostError(what, { cause });
}

const adviceOn = (url) =>
  /^(https?:\/\/|\/|$)/i.test(url)
    ? 'set SANDPOST_URL to its address'
    : 'begin the address with http:// or https://';

function refusal({ url }, { status, version, body }, seconds) {
  if (typeof body?.detail !== 'string') return notOurs(url);
  const time = Math.round(seconds);
  return new SandpostError(`${url} has returned ${status} for ${time} s: ${body.detail}.${agesOf(version)}`);
}

const notOurs = (url) => new SandpostError(`${url} is not a Sandpost server: it did not return JSON.`);

function agesOf(version) {
  if (version === clientVersion) return '';
  return ` Server version: ${version ?? 'older'}. Client version: ${clientVersion}.`;
}

/** Returns the body of a successful response. Otherwise throws an error that says what to change. */
function read({ url, key }, { status, version, body }) {
  if (status === 200 && body !== null) return body;
  if (status === 401) {
    const why =
      key === undefined
        ? `${url} needs an API key: set SANDPOST_API_KEY.`
        : `SANDPOST_API_KEY is not a valid key for ${url}.`;
    throw new SandpostError(why);
  }
  if (status >= 300 && status < 400)
    throw new SandpostError(`${url} redirects to another address: set SANDPOST_URL to that address.`);
  if (typeof body?.detail !== 'string') throw notOurs(url);
  throw new SandpostError(`${url} returned ${status}: ${body.detail}.${agesOf(version)}`);
}
