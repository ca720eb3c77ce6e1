import { refuseUnknown } from './sandpost-error.js';

/** What all clients of a server know of it, by its address, their key and their domain. */
const known = new Map();

/**
 * Returns the server that the options of a client name, or else variables of the environment. `shared` is the domain of addresses, and
 * whether the server has answered. Throws SandpostError for an unknown option.
 */
export function serverOf(options, env) {
  refuseUnknown('option', options, ['url', 'key', 'domain']);
  const url = (options.url || env.SANDPOST_URL || 'http://localhost:8080').replace(/\/+$/, '');
  const key = options.key || env.SANDPOST_API_KEY || undefined;
  const domain = options.domain || env.SANDPOST_DOMAIN || undefined;
  const name = JSON.stringify([url, key, domain]);
  const shared = known.get(name) ?? { domain: undefined, isKnown: false };
  known.set(name, shared);
  return { url, key, domain, shared };
}

/** Returns the URL of a request. */
export function urlOf(url, path, query = {}) {
  const search = new URLSearchParams(query).toString();
  return `${url}${path}${search && `?${search}`}`;
}

/**
 * Returns the seconds of a field Retry-After (RFC 9110 section 10.2.3), or undefined without one, or for one with a date. For 0 it is a tenth
 * of a second, since repeats without a pause would be a storm.
 */
export function retryAfterOf(text) {
  return /^\d+$/.test(text ?? '') ? Math.max(0.1, Number(text)) : undefined;
}
