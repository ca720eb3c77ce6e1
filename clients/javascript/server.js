import { refuseUnknown } from './sandpost-error.js';

/** State that all clients of a server share, by its address, key and domain. */
const known = new Map();

/**
 * Returns the server from a client's options, or else from environment variables. `shared` contains the domain of addresses, and whether
 * the server has responded. Throws SandpostError for an unknown option.
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
 * Returns the seconds in a Retry-After field (RFC 9110 section 10.2.3), or undefined if it is missing or has a date. Returns 0.1 for 0, to
 * avoid a storm of requests.
 */
export function retryAfterOf(text) {
  return /^\d+$/.test(text ?? '') ? Math.max(0.1, Number(text)) : undefined;
}
