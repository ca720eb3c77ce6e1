/** The same call as a line for a shell: `curl -X DELETE 'http://…/api/domains/3' -H "X-API-KEY: $SANDPOST_API_KEY"`. */
export function curlOf(method: string, path: string, body?: unknown, origin = location.origin): string {
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`;
  const data = body === undefined ? '' : ` --json ${quote(JSON.stringify(body))}`;
  return `curl${verb} ${quote(origin + path)} -H "X-API-KEY: $SANDPOST_API_KEY"${data}`;
}

/** In single quotes a shell changes nothing; a single quote itself is taken outside of them. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
