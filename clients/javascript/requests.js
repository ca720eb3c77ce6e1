import { SandpostError } from './sandpost-error.js';

/**
 * Requests as steps: generators that yield a request and take its answer, so that they know nothing of what sends them. A request is
 * `{ method, path, query, body, bytes, seconds }`: `bytes` asks for bytes instead of JSON, and the server takes up to `seconds` to answer. An
 * answer is `{ status, version, retryAfter, body }`, or `{ lost }` with the cause where the connection was. A body that is no JSON
 * is null. The step `{ pause }` waits, in seconds.
 */

const clientVersion = '@VERSION@';
/** Seconds of one request that waits. Proxies commonly end a request after 60 s. */
const longestWait = 50;
/** Seconds for which a request is repeated that the server refuses for being one of many: twice the minute of its limit. */
const patience = 120;
/** The same for a server that has not answered yet: its address may be wrong. */
const firstPatience = 2;
/** Seconds before a request is repeated, where the server does not say. */
const pauses = { refused: 1, lost: 0.5 };

const now = () => performance.now() / 1000;

/** Reads a list of mails as soon as it has `count`, at the latest at `clock.end`, by `now`. */
export function* waitForList(server, query, clock) {
  const { count, explain, ...plain } = query;
  const request = (left) => {
    // A last look waits for nothing: the server always has time for it.
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

/** Reads bytes: a raw mail, or an attachment. */
export function* readBytes(server, path) {
  return yield* ask(server, () => ({ ...get(path), bytes: true }), clockOf(patience), false);
}

/** Compares a mail with the bytes of another one, in Base64. */
export function* compareMails(server, raw, id, mask, patterns) {
  const sides = { left: { raw, encoding: 'base64' }, right: { message_id: id } };
  const body = { ...sides, mask, mask_patterns: patterns };
  const request = { method: 'POST', path: '/api/compare', body, seconds: 0 };
  return yield* ask(server, () => request, clockOf(patience), false);
}

/** Tells what SPF, DKIM and DMARC would say of a mail with other facts. */
export function* authenticate(server, id, facts) {
  const request = { method: 'POST', path: `/api/messages/${id}/authentication`, body: facts, seconds: 0 };
  return yield* ask(server, () => request, clockOf(patience), false);
}

const get = (path, query = {}) => ({ method: 'GET', path, query, seconds: 0 });

/**
 * Sends a request until it is answered, and returns the body. Repeats it where the server refuses it for being one of many (429, 503), and a GET
 * whose connection was lost, until the time of the clock is over. `requestOf` makes it of the seconds that are left. A wait then looks
 * once more, with null for them, and says that it was refused if that is too.
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
    // A minute without requests takes no time of a wait.
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
    ? `${url} has not answered for ${Math.round(seconds)} s.`
    : `No Sandpost server answers at ${url}: ${adviceOn(url)}.`;
  return new SandpostError(what, { cause });
}

const adviceOn = (url) =>
  /^(https?:\/\/|\/|$)/i.test(url)
    ? 'set SANDPOST_URL to its address'
    : 'its address begins with http:// or https://';

function refusal({ url }, { status, version, body }, seconds) {
  if (typeof body?.detail !== 'string') return notOurs(url);
  const time = Math.round(seconds);
  return new SandpostError(`${url} has answered ${status} for ${time} s: ${body.detail}.${agesOf(version)}`);
}

const notOurs = (url) => new SandpostError(`${url} is not a Sandpost server: it does not answer with JSON.`);

function agesOf(version) {
  if (version === clientVersion) return '';
  return ` The server is ${version ?? 'an older version'}, this client ${clientVersion}.`;
}

/** Returns the body of an answer that is a success. Throws an error that tells what to change. */
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
    throw new SandpostError(`${url} redirects to another address: set SANDPOST_URL to that one.`);
  if (typeof body?.detail !== 'string') throw notOurs(url);
  throw new SandpostError(`${url} answered ${status}: ${body.detail}.${agesOf(version)}`);
}
