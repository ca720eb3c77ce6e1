import { curlOf } from '../client/curl.ts';
import type { Message } from '../client/shapes.ts';
import { Copied } from '../parts/copy-button.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';
import { assertionOf } from './assertion.ts';

/** Assertion of a message as a call and as a file. */
export const Assertions = ({ id }: { id: number }) => (
  <Reading of={useRead<Message>(`/api/messages/${id}`)}>
    {(message) => {
      const assertion = assertionOf(message);
      return (
        <>
          <Copied text={curlOf('POST', '/api/assert', assertion)} label="Copy the curl line" />
          <p class="small">File for sandpost assert</p>
          <Copied text={JSON.stringify(assertion, null, 2)} label="Copy the file" />
        </>
      );
    }}
  </Reading>
);
