import type { Account } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';

const examples: [tag: string, says: string][] = [
  ['fail-550', 'RCPT is refused with this code. Any code from 400 to 599 works.'],
  ['fail-452-4.2.2', 'Refused with an enhanced code.'],
  ['fail-451x2', 'Refused twice for each sender, then accepted. Does it try again?'],
  ['fail-data-554', 'Refused after the content.'],
  ['fail-slow5', 'RCPT is answered after 5 seconds. Up to 60.'],
  ['fail-drop', 'The connection ends at RCPT.'],
  ['fail-dsn-5.1.1', 'Accepted. A sender address in the team then gets a bounce.'],
  ['fail-delay-dsn', 'Accepted, and reported as delayed.'],
];

/** Addresses of an account that simulates failures, each with what it does. */
export function FailingAddresses({ account: { address } }: { account: Account }) {
  const at = address.lastIndexOf('@');
  const name = address.startsWith('*') ? 'anyone' : address.slice(0, at);
  const tagged = (tag: string) => `${name}+${tag}${address.slice(at)}`;
  return (
    <details class="further" aria-label={`Failing addresses of ${address}`}>
      <summary>Failing addresses</summary>
      <ul class="rows">
        {examples.map(([tag, says]) => (
          <li key={tag}>
            <code class="breaks row-name">{tagged(tag)}</code>
            <span class="small">{says}</span>
            <CopyButton text={tagged(tag)} label={`Copy ${tagged(tag)}`} />
          </li>
        ))}
      </ul>
      <p class="small">
        Text after a dot keeps tests apart: <code>{tagged('fail-451x2.run7')}</code>
      </p>
    </details>
  );
}
