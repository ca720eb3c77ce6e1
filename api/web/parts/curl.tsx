import { curlOf } from '../client/curl.ts';
import type { Call } from './call.ts';
import { CopyButton } from './copy-button.tsx';

type Props = { call: Call; of: string };

/** Call as a shell line, behind a small button. Contains no passwords. */
export function Curl({ call, of }: Props) {
  const text = curlOf(call.method, call.path, call.body && withoutPasswords(call.body));
  return (
    <details class="curl">
      <summary aria-label={`curl: ${of}`}>curl</summary>
      <div class="line">
        <pre>{text}</pre>
        <CopyButton text={text} label={`Copy the curl line: ${of}`} />
      </div>
    </details>
  );
}

function withoutPasswords(body: object): object {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, /password/.test(name) ? '…' : value]),
  );
}
