import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { basePath } from '../base-path.ts';
import { curlOf } from '../client/curl.ts';
import { Copied } from '../parts/copy-button.tsx';
import { Facts } from '../parts/facts.tsx';
import { exampleOf, fieldRows, type OpenApi, type Operation, parameterRows, type Row } from './document.ts';

type Props = { document: OpenApi; operation: Operation; apiKey: string; open: boolean };

/** Operation. Its details are drawn only when it is opened, because there are many. */
export function OperationEntry({ document, operation, apiKey, open }: Props) {
  const [isOpen, setOpen] = useState(open);
  const entry = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!open) return;
    setOpen(true);
    entry.current?.scrollIntoView();
  }, [open]);
  const { id, method, path, summary } = operation;
  return (
    <details
      id={id}
      class="operation"
      ref={entry}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary class="hovers">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>{' '}
        <span class="muted">{summary}</span>
      </summary>
      {isOpen && <Details document={document} operation={operation} apiKey={apiKey} />}
    </details>
  );
}

function Details({ document, operation, apiKey }: Omit<Props, 'open'>) {
  const { method, path, description, requestBody, responses } = operation;
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const example = body && exampleOf(document, body);
  const curl = curlOf(method, path, example);
  // Clients of providers send their own credential in another place.
  const isOurs = !path.startsWith('/providers/');
  return (
    <div class="details">
      {description && <p>{withCode(description)}</p>}
      <Rows title="Parameters" rows={parameterRows(document, operation)} />
      {body && <Rows title="Body" rows={fieldRows(document, body)} />}
      {isOurs && <Copied text={curl} label={`Copy the curl command: ${operation.summary}`} />}
      <h3>Responses</h3>
      <Facts
        facts={Object.entries(responses).map(([status, response]) => [
          status,
          <>
            {withCode(response.description)}
            {status.startsWith('2') && <Example document={document} of={response} />}
          </>,
        ])}
      />
      {isOurs && <TryIt operation={operation} apiKey={apiKey} example={example} />}
    </div>
  );
}

type ExampleProps = { document: OpenApi; of: Operation['responses'][string] };

function Example({ document, of: { content = {} } }: ExampleProps) {
  const { schema } = content['application/json'] ?? {};
  return schema ? <pre class="wraps">{JSON.stringify(exampleOf(document, schema), null, 2)}</pre> : null;
}

function Rows({ title, rows }: { title: string; rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <table>
        <tbody>
          {rows.map(({ name, aliases, type, required, description }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
                {required && <span class="error required">required</span>}
              </th>
              <td>
                {withCode(description)} <span class="muted">{type}</span>
                {aliases.length > 0 && <span class="muted"> Also spelled {aliases.join(', ')}.</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Shows text between backticks as code, as in CommonMark. The document's descriptions contain no other markup. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

type TryProps = { operation: Operation; apiKey: string; example: unknown };

/** Maximum displayed length of a response, in characters. */
const shownLength = 20_000;

/** Form that sends the operation to this server, and shows the response. */
function TryIt({ operation: { id, method, path, parameters = [] }, apiKey, example }: TryProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(example === undefined ? '' : JSON.stringify(example, null, 2));
  const [answer, setAnswer] = useState('');
  const prefix = useId();
  const named = parameters.filter(({ description = '' }) => !description.startsWith('The same as '));

  async function send(event: SubmitEvent) {
    event.preventDefault();
    setAnswer('Waiting for the response …');
    const headers: Record<string, string> = apiKey === '' ? {} : { 'X-API-KEY': apiKey };
    if (body !== '') headers['Content-Type'] = 'application/json';
    const init = { method, headers, ...(body === '' ? {} : { body }) };
    setAnswer(await fetch(basePath + addressOf(path, named, values), init).then(shown, String));
  }

  return (
    <form class="stack" onSubmit={send} aria-label={`Send ${id}`}>
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
      <div role="status">{answer !== '' && <pre class="wraps">{answer}</pre>}</div>
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
  // The response is an event stream, which has no end.
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    await answer.body?.cancel();
    return `${head}\nThis is a stream: open it with curl -N.`;
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
