import './reference.css';
import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { basePath } from '../base-path.ts';
import { isFound, type OpenApi, operationsOf } from './document.ts';
import { OperationEntry, withCode } from './operation.tsx';

/** API reference: operations by tag, with a search, from this server's OpenAPI document. */
export function Reference() {
  const [document, setDocument] = useState<OpenApi | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    readDocument().then(setDocument, (error: Error) => setFailure(error.message));
  }, []);
  if (failure !== '') return <p class="reference error">Can't load the OpenAPI document: {failure}</p>;
  if (document === null) return null;
  return <Operations document={document} />;
}

async function readDocument(): Promise<OpenApi> {
  const answer = await fetch(`${basePath}/api/openapi.json`);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer.json();
}

function Operations({ document }: { document: OpenApi }) {
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(location.hash.slice(1));
  const [key, setKey] = useState('');
  useEffect(() => {
    const follow = () => setOpened(location.hash.slice(1));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const found = operationsOf(document).filter((operation) => isFound(operation, search.trim()));
  const tags = [...Map.groupBy(found, ({ tag }) => tag)];
  return (
    <div class="reference">
      <nav class="scrolls" aria-label="Operations">
        <a class="home" href={`${basePath}/`}>
          Sandpost
        </a>
        <label class="hidden" for="search">
          Search operations
        </label>
        <input
          id="search"
          type="search"
          placeholder="Search: wait, domain, POST …"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        {tags.map(([tag, operations]) => (
          <Fragment key={tag}>
            <p class="small group">{tag}</p>
            <ul>
              {operations.map(({ id, summary }) => (
                <li key={id}>
                  <a class="way" href={`#${id}`}>
                    {summary}
                  </a>
                </li>
              ))}
            </ul>
          </Fragment>
        ))}
      </nav>
      <main class="scrolls">
        <header class="stack">
          <h1>
            Sandpost API <span class="muted">{document.info.version}</span>
          </h1>
          <p>{withCode(document.info.description)}</p>
          <p>
            The OpenAPI document: <a href={`${basePath}/api/openapi.json`}>openapi.json</a>
          </p>
          <label for="key">API key for “Send”. Leave it empty to use your session.</label>
          <input
            id="key"
            class="mono"
            autocomplete="off"
            placeholder="sp_…"
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </header>
        {tags.length === 0 && <p role="status">No operation contains all these words.</p>}
        {tags.map(([tag, operations]) => (
          <section key={tag} aria-label={tag}>
            <h2>{tag}</h2>
            {operations.map((operation) => (
              <OperationEntry
                key={operation.id}
                document={document}
                operation={operation}
                apiKey={key}
                open={operation.id === opened}
              />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}
