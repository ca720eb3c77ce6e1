import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { curlOf } from '../client/curl.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Facts } from '../parts/facts.tsx';
import {
  exampleOf,
  fieldRows,
  type OpenApi,
  type Operation,
  parameterRows,
  type Row,
  type Schema,
} from './document.ts';
import { TryIt } from './try-it.tsx';

type Props = { document: OpenApi; operation: Operation; apiKey: string; open: boolean };

/** One operation. Its details are drawn once it is open, since there are many. */
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
      <summary>
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>{' '}
        <span class="summary">{summary}</span>
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
  // A provider's own credential is in another place, which its clients know.
  const isOurs = !path.startsWith('/providers/');
  return (
    <div class="details">
      {description && <p>{withCode(description)}</p>}
      <Rows title="Parameters" rows={parameterRows(document, operation)} />
      {body && <Rows title="Body" rows={fieldRows(document, body)} />}
      {isOurs && (
        <div class="line">
          <pre>{curl}</pre>
          <CopyButton text={curl} label={`Copy the curl line: ${operation.summary}`} />
        </div>
      )}
      <h3>Answers</h3>
      <Facts
        facts={Object.entries(responses).map(([status, response]) => [
          status,
          <>
            {withCode(response.description)}
            {status.startsWith('2') && <Example document={document} schema={schemaOf(response)} />}
          </>,
        ])}
      />
      {isOurs && <TryIt operation={operation} apiKey={apiKey} example={example} />}
    </div>
  );
}

function schemaOf({ content = {} }: Operation['responses'][string]): Schema | undefined {
  return content['application/json']?.schema;
}

function Example({ document, schema }: { document: OpenApi; schema: Schema | undefined }) {
  if (schema === undefined) return null;
  return <pre>{JSON.stringify(exampleOf(document, schema), null, 2)}</pre>;
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
                {required && <span class="required">required</span>}
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

/** Shows what stands between backticks as code, as CommonMark does. The document's descriptions have no other mark-up. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
