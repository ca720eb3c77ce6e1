import { readableText } from './readable-text.js';
import { clockOf, getJson, isOver, waitForList } from './requests.js';
import { refuseUnknown, SandpostError } from './sandpost-error.js';

/** Steps of each client call, with the requests of `requests.js`. */

/** Maximum number of emails that a call checks. */
const mostMails = 200;
const mostAccounts = 200;
/** Maximum number of emails that an error lists. */
const mostListed = 20;

/** Generates an unguessable address, and reads the server's cursor. Changes nothing on the server. */
export function* makeInbox(server, name) {
  const readable = String(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const { cursor } = yield* getJson(server, '/api/messages', { limit: 1 });
  server.shared.domain ??= yield* findDomain(server);
  const bytes = server.crypto.getRandomValues(new Uint8Array(5));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { address: `${readable || 'test'}-${random}@${server.shared.domain}`, since: cursor };
}

/**
 * Returns the domain of a catch-all account, or else of the capture account. Returns the given domain if one of these accounts receives its
 * mail. Checks the oldest 200 accounts.
 */
function* findDomain(server) {
  const { url, domain: given } = server;
  const query = { limit: mostAccounts, is_active: true };
  const { items, pagination } = yield* getJson(server, '/api/accounts', query);
  const domainOf = ({ address }) => address.split('@').at(-1);
  const catchAlls = items.filter((one) => one.is_catch_all);
  const capture = items.find((one) => one.is_capture);
  const [first = capture] = catchAlls;
  if (given === undefined && first !== undefined) return domainOf(first);
  if (given !== undefined) {
    const isTaken = capture !== undefined || catchAlls.some((one) => domainOf(one) === given.toLowerCase());
    // Accounts have the ASCII form of a domain.
    const isUnknown = pagination.total > items.length || /[^\0-\x7f]/.test(given);
    if (isTaken || isUnknown) return given;
  }
  const domain = given ?? (items.length > 0 ? domainOf(items[0]) : 'app.test');
  const isThere = items.some((one) => domainOf(one) === domain);
  const requests = `${isThere ? '' : `POST /api/domains {"domain": "${domain}"} and `}POST /api/accounts {"address": "*@${domain}"}`;
  const [place, way] = given === undefined ? ['', ', or set SANDPOST_DOMAIN'] : [` on ${given}`, ''];
  throw new SandpostError(
    `No account at ${url} receives mail for any address${place}: create one with ${requests}${way}.`,
  );
}

/** Waits for the one email that meets all conditions. Fails if none or several do. */
export function* waitForOne(server, place, conditions, options) {
  const { within, settle } = readOptions(options, { within: 30, settle: 0 });
  const found = yield* waitForCount(server, place, readConditions(conditions), { count: 1, within, settle });
  return yield* readMail(server, found.matches[0]);
}

/** Reads the emails that meet all conditions, newest first. With `count`, waits for exactly that many. */
export function* readMails(server, place, conditions, options) {
  const { count, within, settle } = readOptions(options, { within: 30, settle: 0, count: undefined });
  const wanted = readConditions(conditions);
  if (count === undefined && (options.within ?? options.settle) !== undefined)
    throw new SandpostError('mails accepts within and settle only with count.');
  const found =
    count === undefined
      ? yield* look(server, place, wanted, { count: 1, within: 0 })
      : yield* waitForCount(server, place, wanted, { count, within, settle });
  requireAll(found, place, wanted);
  const mails = [];
  for (const match of found.matches) mails.push(yield* readMail(server, match));
  return mails;
}

/** Waits until time runs out. Fails as soon as an email meets all conditions. */
export function* waitForNone(server, place, given, options) {
  // The time was a condition in earlier versions.
  const { within: time, ...conditions } = given;
  const { within } = readOptions(time === undefined ? options : { within: time, ...options }, { within: 3 });
  const wanted = readConditions(conditions);
  const { matches, total } = yield* look(server, place, wanted, { count: 1, within });
  if (total === 0) return;
  throw new SandpostError(
    `Mail ${toWhat(place, wanted)} arrived, but none was expected:${listOf(matches, total)}`,
  );
}

function* waitForCount(server, place, wanted, { count, within, settle }) {
  const found = yield* look(server, place, wanted, { count, within, explain: 1 });
  if (found.total === count && settle > 0) {
    const later = yield* look(server, { ...place, since: found.cursor }, wanted, {
      count: 1,
      within: settle,
    });
    found.matches.unshift(...later.matches);
    found.total += later.total;
  }
  const { matches, total, others } = found;
  if (total === count) return found;
  const what = toWhat(place, wanted);
  const were = count === 1 ? 'one was' : `${count} were`;
  if (total > count)
    throw new SandpostError(
      `${total} emails ${what} arrived, but ${were} expected:${listOf(matches, total)}`,
    );
  if (total > 0)
    throw new SandpostError(
      `${total === 1 ? '1 email' : `${total} emails`} ${what} arrived within ${within} s, but ${were} expected:${listOf(matches, total)}`,
    );
  const instead = others.length > 0 ? ` Arrived instead:${listOf(others)}` : nothingNear(found);
  throw new SandpostError(`No mail ${what} arrived within ${within} s.${instead}`);
}

/** Says that nothing arrived, if the server had time to search. */
const nothingNear = ({ hasLooked }) => (hasLooked ? ' No similar mail arrived.' : '');

/**
 * Waits until `count` emails meet all conditions, or time runs out. Returns them, newest first, their number, the cursor after them and,
 * with `explain`, those that arrived instead.
 */
function* look(server, { address, since }, wanted, { count, within, explain = 0 }) {
  const { query, patterns } = wanted;
  const asked = { address, limit: mostMails, ...query, include: 'message', explain };
  const clock = clockOf(within);
  const found = { matches: [], total: 0, cursor: since, others: [], hasLooked: false };
  for (let isFirst = true; ; isFirst = false) {
    const more = { since: found.cursor, count: count - found.total };
    const list = yield* waitForList(server, { ...asked, ...more }, clock);
    const { items, message, pagination, cursor } = list;
    if (patterns.length > 0) {
      requireAll({ matches: items, total: pagination.total }, { address }, wanted);
      const judged = [];
      for (const item of items) {
        const mail = yield* readMail(server, items.length === 1 && message ? message : item);
        judged.push({ ...mail, to: address, failed: failedOf(mail, patterns) });
      }
      const matches = judged.filter(({ failed }) => failed.length === 0).map(({ failed, ...mail }) => mail);
      found.others.unshift(...judged.filter(({ failed }) => failed.length > 0));
      found.matches.unshift(...matches);
      found.total += matches.length;
    } else {
      found.matches.unshift(...(message ? [message] : items));
      found.total += pagination.total;
    }
    found.cursor = cursor;
    if (found.total < count && !isOver(clock)) continue;
    if (explain === 0 || found.total > 0) return found;
    // Near misses come from the last request, which began after the earlier emails.
    const whole = isFirst
      ? list
      : yield* waitForList(server, { ...asked, since, count: mostMails }, clockOf(0));
    found.others.push(...(whole.near_misses ?? []));
    found.hasLooked = whole.near_misses !== undefined;
    return found;
  }
}

/** Fails if the server has more emails than it returned: the others might match differently. */
function requireAll({ matches, total }, place, wanted) {
  if (total <= matches.length) return;
  throw new SandpostError(
    `${total} emails ${toWhat(place, wanted)} arrived, but a call checks at most ${mostMails}: add a string condition.`,
  );
}

/** Returns an email from a list. Reads the full email if the list item is incomplete. */
function* readMail(server, mail) {
  return mail.codes === undefined ? yield* getJson(server, `/api/messages/${mail.id}`) : mail;
}

/** Texts of an email that patterns search, by the condition's name. */
const searched = {
  subject: (mail) => mail.subject,
  from: (mail) => `${mail.from_name ?? ''} ${mail.from_address}`,
  text: (mail) => readableText(mail) ?? '',
};

/** Splits conditions into query parameters, and patterns, which the client matches. */
function readConditions(conditions) {
  refuseUnknown('condition', conditions, ['subject', 'from', 'text', 'q', 'trace', 'after']);
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  const query = {};
  const patterns = [];
  const said = [];
  for (const [name, value] of given) {
    if (name === 'after') {
      if (typeof value?.id !== 'number') throw new SandpostError('The condition after must be an email.');
      query.after = value.id;
      said.push(`after email ${value.id}`);
    } else if (value instanceof RegExp && searched[name]) {
      patterns.push([name, value]);
      said.push(`${name} /${value.source}/`);
    } else if (typeof value === 'string') {
      if (value.trim() === '') throw new SandpostError(`The condition ${name} is empty.`);
      query[name] = value;
      said.push(`${name} "${value}"`);
    } else
      throw new SandpostError(
        `The condition ${name} must be a string${searched[name] ? ' or a regular expression' : ''}.`,
      );
  }
  return { query, patterns, said: said.length > 0 ? ` with ${said.join(', ')}` : '' };
}

/** Returns the names of the patterns that an email does not match. */
function failedOf(mail, patterns) {
  return patterns.filter(([name, pattern]) => searched[name](mail).search(pattern) < 0).map(([name]) => name);
}

/** Returns a call's options, with defaults for missing ones. */
function readOptions(options, usual) {
  refuseUnknown('option', options, Object.keys(usual));
  const read = { ...usual };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const isCount = name === 'count';
    const fits = isCount
      ? Number.isInteger(value) && value >= 1 && value <= mostMails
      : typeof value === 'number' && value >= 0 && value < Infinity;
    const kind = isCount ? `from 1 to ${mostMails}` : 'of seconds';
    if (!fits) throw new SandpostError(`The option ${name} must be a number ${kind}, not ${value}.`);
    read[name] = value;
  }
  return read;
}

const toWhat = ({ address }, { said }) => `to ${address}${said}`;

/** Returns a line about each email or refusal. `failed` names the conditions that an email fails. */
function listOf(mails, total = mails.length) {
  const lines = mails.slice(0, mostListed).map(({ id, subject, to, failed, reply }) => {
    if (reply !== undefined) return `\n  refused${to === '' ? '' : ` for ${to}`}: ${reply}`;
    const differs = failed === undefined ? '' : ` to ${to} (differs in ${failed.join(', ')})`;
    return `\n  email ${id} "${subject}"${differs}`;
  });
  const rest = total - lines.length;
  return lines.join('') + (rest > 0 ? `\n  and ${rest} more` : '');
}
