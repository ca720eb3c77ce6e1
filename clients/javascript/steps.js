import { SandpostError } from './sandpost-error.js';

/**
 * Steps of each call: generators that yield requests and take their answers, so that they know nothing of what sends them.
 * A request is `{ method, path, query, body, bytes, seconds }`: `bytes` asks for bytes instead of JSON, and the server
 * takes up to `seconds` to answer. An answer is `{ status, version, body }`. A body that is no JSON is null.
 */

const clientVersion = '@VERSION@';
/** Seconds of one wait. Proxies commonly end a request after 60 s. */
const longestWait = 50;
/** Newest mails to an address that are looked at. */
const mostMails = 20;
/** Mails that one wait can be for. */
const mostWaitedFor = 200;
const mostAccounts = 200;

/** Makes an address that nobody can guess, and reads what the server's newest event is. Changes nothing on the server. */
export function* makeInbox(server, name) {
  const readable = String(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const { cursor } = yield* get(server, '/api/messages', { limit: 1 });
  server.domain ??= yield* findDomain(server);
  const bytes = server.crypto.getRandomValues(new Uint8Array(5));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { address: `${readable || 'test'}-${random}@${server.domain}`, since: cursor };
}

/** Returns the domain of a catch-all account, else of the capture account, among the oldest 200 accounts. */
function* findDomain(server) {
  const { items } = yield* get(server, '/api/accounts', { limit: mostAccounts, is_active: true });
  const account = items.find((one) => one.is_catch_all) ?? items.find((one) => one.is_capture);
  if (account !== undefined) return account.address.split('@').at(-1);
  throw new SandpostError(
    `No account at ${server.url} takes mail for any address: make one, or set SANDPOST_DOMAIN.`,
  );
}

/** Waits for the one mail for which all conditions hold. Fails on none, and on several. */
export function* waitForOne(server, place, conditions, options) {
  const within = secondsOf(options, 30);
  const { mails, others } = yield* look(server, place, conditions, within, { explain: 1 });
  const wanted = `to ${place.address}${describe(conditions)}`;
  if (mails.length === 1) return mails[0];
  if (mails.length > 1)
    throw new SandpostError(`${mails.length} mails ${wanted} came, one was wanted:${listOf(mails)}`);
  const instead = others.length > 0 ? `Came instead:${listOf(others)}` : 'No other mail came near.';
  throw new SandpostError(`No mail ${wanted} came within ${within} s. ${instead}`);
}

/** Waits until the time is over. Fails as soon as there is a mail for which all conditions hold. */
export function* waitForNone(server, place, conditions, options) {
  const { mails } = yield* look(server, place, conditions, secondsOf(options, 3));
  if (mails.length === 0) return;
  const wanted = `to ${place.address}${describe(conditions)}`;
  throw new SandpostError(`Mail ${wanted} came, none was wanted:${listOf(mails)}`);
}

/** Returns the mails that match, as soon as there is one; else, once the time is over, none and those that came instead. */
function* look(server, { address, since }, conditions, within, more = {}) {
  const { query, patterns } = readConditions(conditions);
  const asked = { address, since, limit: mostMails, ...query, ...more };
  const end = performance.now() + within * 1000;
  for (let count = 1; ; ) {
    const wait = Math.min(longestWait, Math.max(0, Math.ceil((end - performance.now()) / 1000)));
    const list = yield* get(server, '/api/messages', { ...asked, count, wait }, wait);
    const judged = [];
    for (const { id } of list.items) {
      const mail = yield* readMail(server, id);
      judged.push({ mail, failed: failedOf(mail, patterns) });
    }
    const mails = judged.filter(({ failed }) => failed.length === 0).map(({ mail }) => mail);
    count = list.pagination.total + 1;
    if (mails.length > 0 || performance.now() >= end || count > mostWaitedFor) {
      const unlike = judged.map(({ mail, failed }) => ({ ...mail, to: address, failed }));
      return { mails, others: [...unlike, ...(list.near_misses ?? [])] };
    }
  }
}

/** Reads the newest mails to an address. */
export function* readMails(server, { address, since }) {
  const { items } = yield* get(server, '/api/messages', { address, since, limit: mostMails });
  const mails = [];
  for (const { id } of items) mails.push(yield* readMail(server, id));
  return mails;
}

function* readMail(server, id) {
  return yield* get(server, `/api/messages/${id}`);
}

/** Reads bytes: a raw mail, or an attachment. */
export function* readBytes(server, path) {
  return read(server, yield { method: 'GET', path, bytes: true, seconds: 0 });
}

/** Compares a mail with the bytes of another one, in Base64. */
export function* compareMails(server, raw, id, mask, patterns) {
  const sides = { left: { raw, encoding: 'base64' }, right: { message_id: id } };
  const body = { ...sides, mask, mask_patterns: patterns };
  return read(server, yield { method: 'POST', path: '/api/compare', body, seconds: 0 });
}

function* get(server, path, query = {}, seconds = 0) {
  return read(server, yield { method: 'GET', path, query, seconds });
}

/** Returns the body of an answer that is a success. Throws an error that tells what to change. */
function read({ url, key }, { status, version, body }) {
  if (status === 200 && body !== null) return body;
  if (status === 401) {
    const why =
      key === undefined
        ? `${url} wants a key: set SANDPOST_API_KEY.`
        : `SANDPOST_API_KEY is no key of ${url}.`;
    throw new SandpostError(why);
  }
  if (status >= 300 && status < 400)
    throw new SandpostError(`${url} leads to another address: set SANDPOST_URL to that.`);
  if (typeof body?.detail !== 'string')
    throw new SandpostError(`${url} is no Sandpost: it does not answer with JSON.`);
  const ages =
    version === clientVersion
      ? ''
      : ` The server is ${version ?? 'an older version'}, this client ${clientVersion}.`;
  throw new SandpostError(`${url} answered ${status}: ${body.detail}.${ages}`);
}

/** Texts of a mail in which patterns are looked for, by the name of the condition. */
const searched = {
  subject: (mail) => mail.subject,
  from: (mail) => `${mail.from_name ?? ''} ${mail.from_address}`,
  text: (mail) => mail.text || mail.html || '',
};

/** Splits conditions into texts, which the server looks for, and patterns, which are looked for here. */
function readConditions(conditions) {
  refuseUnknown('condition', conditions, ['subject', 'from', 'text', 'q']);
  const query = {};
  const patterns = [];
  for (const [name, value] of given(conditions)) {
    if (value instanceof RegExp && name !== 'q') patterns.push([name, value]);
    else if (typeof value === 'string') query[name] = value;
    else throw new SandpostError(`The condition ${name} is a text${name === 'q' ? '' : ' or a pattern'}.`);
  }
  const { text, q = '', ...others } = query;
  if (text === undefined) return { query, patterns };
  return { query: { ...others, q: `${q} body:"${text.replaceAll('"', '\\"')}"` }, patterns };
}

const given = (conditions) => Object.entries(conditions).filter(([, value]) => value !== undefined);

/** Returns the names of the patterns that are not found in a mail. */
function failedOf(mail, patterns) {
  return patterns.filter(([name, pattern]) => searched[name](mail).search(pattern) < 0).map(([name]) => name);
}

function secondsOf(options, usual) {
  refuseUnknown('option', options, ['within']);
  const { within = usual } = options;
  if (typeof within === 'number' && within >= 0 && within < Infinity) return within;
  throw new SandpostError(`The option within is a number of seconds, not ${within}.`);
}

/** Refuses a misspelt name, since without it everything would match. */
function refuseUnknown(kind, values, known) {
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SandpostError(`There is no ${kind} ${unknown}: there are ${known.join(', ')}.`);
}

function describe(conditions) {
  const said = given(conditions).map(([name, value]) =>
    value instanceof RegExp ? `${name} /${value.source}/` : `${name} "${value}"`,
  );
  return said.length > 0 ? ` with ${said.join(', ')}` : '';
}

/** Returns a line on each mail. Those that came instead of another have `failed`, the names of what they differ in. */
function listOf(mails) {
  const lines = mails.map(({ id, subject, to, failed }) => {
    const differs = failed === undefined ? '' : ` to ${to} (differs in ${failed.join(', ')})`;
    return `\n  mail ${id} "${subject}"${differs}`;
  });
  return lines.join('');
}
