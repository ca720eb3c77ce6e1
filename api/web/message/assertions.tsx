import { curlOf } from '../client/curl.ts';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Copied } from '../parts/copy-button.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';
import { assertionIn } from '../start/test-snippets.ts';
import { assertionOf } from './assertion.ts';

/** Assertion for a message: as a file, as a call, and as a test in the most recently chosen language. */
export function Assertions({ id }: { id: number }) {
  const { language } = usePage();
  return (
    <Reading of={useRead<Message>(`/api/messages/${id}`)}>
      {(message) => {
        const assertion = assertionOf(message);
        const name = language.value;
        return (
          <>
            <h3>File for sandpost assert</h3>
            <Copied text={JSON.stringify(assertion, null, 2)} label="Copy the file" />
            <h3>curl</h3>
            <Copied text={curlOf('POST', '/api/assert', assertion)} label="Copy the curl command" />
            <h3>{name}</h3>
            <Copied text={assertionIn(name, assertion)} label={`Copy the lines for ${name}`} />
          </>
        );
      }}
    </Reading>
  );
}
