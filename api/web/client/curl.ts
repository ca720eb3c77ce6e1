import { ownAddress } from '../base-path.ts';

/** Returns a call as a shell line: `curl -X DELETE 'http://…/api/domains/3' -H "X-API-KEY: $SANDPOST_API_KEY"`. */
export function curlOf(method: string, path: string, body?: unknown, origin = ownAddress()): string {
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`;
  const data = body === undefined ? '' : ` --json ${quote(JSON.stringify(body))}`;
  return `curl${verb} ${quote(origin + path)} -H "X-API-KEY: $SANDPOST_API_KEY"${data}`;
}

/** Quotes a shell word. A shell changes nothing within single quotes, so only single quotes themselves are written outside them. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
