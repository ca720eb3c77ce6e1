import { curlOf } from '../client/curl.ts';
import type { Message } from '../client/shapes.ts';
import { Copied } from '../parts/copy-button.tsx';
import { assertionOf } from './assertion.ts';

/** Assertion of a message as a call and as a file. */
export function Assertions({ message }: { message: Message }) {
  const assertion = assertionOf(message);
  return (
    <>
      <Copied text={curlOf('POST', '/api/assert', assertion)} label="Copy the curl line" />
      <p class="small">File for sandpost assert</p>
      <Copied text={JSON.stringify(assertion, null, 2)} label="Copy the file" />
    </>
  );
}
