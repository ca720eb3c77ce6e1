import { parseOptions } from '#setup/parse-options.ts';
import { sentenceOf } from '#telemetry/redact.ts';

const usage = 'sandpost share MESSAGE_ID|ADDRESS [--expires 7d]';
const options = { expires: { type: 'string', default: '7d' }, help: { type: 'boolean' } } as const;

/**
 * Creates a share link to a message or an account through the API at SANDPOST_URL with the key SANDPOST_API_KEY, and prints its URL.
 * Returns the exit code: 0, or 2 if no link was created.
 */
export async function shareLink(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { values, positionals } = parseOptions({ args, options, allowPositionals: true });
    const [target = '', ...more] = positionals;
    if (!values.help && (target === '' || more.length > 0)) throw new Error(`name one target: ${usage}`);
    const line = values.help ? `usage: ${usage}` : await linkTo(target, values.expires, env);
    process.stdout.write(`${line}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`sandpost share: ${sentenceOf(error)}\n`);
    return 2;
  }
}

type Answer = { url?: string; items?: { id: number }[]; detail?: string };

async function linkTo(target: string, expires: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { SANDPOST_URL: base = 'http://localhost:8080', SANDPOST_API_KEY: key } = env;
  const call = async (path: string, body?: object): Promise<Answer> => {
    const sent = body && { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
    // A redirect must not take the key to another host. Bounded: a setting.
    const response = await fetch(base.replace(/\/+$/, '') + path, { ...sent, redirect: 'manual', headers });
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (!response.ok) throw new Error(`${response.status}: ${answer.detail ?? 'not a Sandpost server'}`);
    return answer;
  };
  const share = async (shown: object) =>
    (await call('/api/shares', { ...shown, expires_in: expires })).url ?? '';
  if (/^\d+$/.test(target)) return share({ message_id: Number(target) });
  const { items: [account] = [] } = await call(`/api/accounts?address=${encodeURIComponent(target)}`);
  if (account === undefined) throw new Error(`no account has the address ${target}`);
  return share({ account_id: account.id });
}
