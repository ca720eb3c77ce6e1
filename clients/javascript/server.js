/** Returns the server that the options of a client name, or else variables of the environment. */
export function serverOf(options, env) {
  const url = options.url || env.SANDPOST_URL || 'http://localhost:8080';
  return {
    url: url.replace(/\/+$/, ''),
    key: options.key || env.SANDPOST_API_KEY || undefined,
    domain: options.domain || env.SANDPOST_DOMAIN || undefined,
  };
}

/** Returns the URL of a request. */
export function urlOf(url, path, query = {}) {
  const search = new URLSearchParams(query).toString();
  return `${url}${path}${search && `?${search}`}`;
}
