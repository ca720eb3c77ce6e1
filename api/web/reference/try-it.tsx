import { useId, useState } from 'preact/hooks';
import type { Operation } from './document.ts';

type Props = { operation: Operation; apiKey: string; example: unknown };

/** Length to which an answer is shown, in characters. */
const shownLength = 20_000;

/** Form that sends the operation to this server, and shows its answer. */
export function TryIt({ operation: { id, method, path, parameters = [] }, apiKey, example }: Props) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(example === undefined ? '' : JSON.stringify(example, null, 2));
  const [answer, setAnswer] = useState('');
  const prefix = useId();
  const named = parameters.filter(({ description = '' }) => !description.startsWith('The same as '));

  async function send(event: SubmitEvent) {
    event.preventDefault();
    setAnswer('Waiting for the answer …');
    const headers: Record<string, string> = apiKey === '' ? {} : { 'X-API-KEY': apiKey };
    if (body !== '') headers['Content-Type'] = 'application/json';
    const init = { method, headers, ...(body === '' ? {} : { body }) };
    setAnswer(await fetch(addressOf(path, named, values), init).then(shown, String));
  }

  return (
    <form onSubmit={send} aria-label={`Send ${id}`}>
      <h3>Send</h3>
      {named.map(({ name, required }) => (
        <div class="input" key={name}>
          <label for={`${prefix}-${name}`}>{name}</label>
          <input
            id={`${prefix}-${name}`}
            required={required}
            value={values[name] ?? ''}
            onInput={({ currentTarget }) => setValues({ ...values, [name]: currentTarget.value })}
          />
        </div>
      ))}
      {example !== undefined && (
        <>
          <label for={`${prefix}-body`}>Body</label>
          <textarea
            id={`${prefix}-body`}
            class="mono"
            rows={Math.min(12, body.split('\n').length + 1)}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        </>
      )}
      <button type="submit" class="main">
        Send {method}
      </button>
      <div role="status">{answer !== '' && <pre>{answer}</pre>}</div>
    </form>
  );
}

function addressOf(
  path: string,
  named: { name: string; in: string }[],
  values: Record<string, string>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const given = named.filter(({ name, in: place }) => place === 'query' && (values[name] ?? '') !== '');
  const query = new URLSearchParams(given.map(({ name }) => [name, values[name] ?? '']));
  return query.size === 0 ? filled : `${filled}?${query}`;
}

async function shown(answer: Response): Promise<string> {
  const head = `${answer.status} ${answer.statusText}`;
  // A stream of events has no end.
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    await answer.body?.cancel();
    return `${head}\nA stream: open it by curl -N.`;
  }
  const text = await answer.text();
  return `${head}\n${indented(text).slice(0, shownLength)}`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
