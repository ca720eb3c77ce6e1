import type { Account } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';

const examples: [tag: string, says: string][] = [
  ['fail-550', 'Refuses RCPT with this code. Any code from 400 to 599 works.'],
  ['fail-452-4.2.2', 'Refuses RCPT with an enhanced status code.'],
  ['fail-451x2', 'Refuses each sender twice, then accepts. Tests whether your application retries.'],
  ['fail-data-554', 'Refuses the message after receiving its content.'],
  ['fail-slow5', 'Replies to RCPT after 5 seconds. Any delay up to 60 s works.'],
  ['fail-drop', 'Closes the connection at RCPT.'],
  ['fail-dsn-5.1.1', 'Accepts, then sends a bounce if the sender is an address in your team.'],
  ['fail-delay-dsn', 'Accepts, then reports a delay.'],
];

/** Addresses of an account that simulates failures, each with what it does. */
export function FailingAddresses({ account: { address } }: { account: Account }) {
  const at = address.lastIndexOf('@');
  const name = address.startsWith('*') ? 'anyone' : address.slice(0, at);
  const tagged = (tag: string) => `${name}+${tag}${address.slice(at)}`;
  return (
    <details class="further" aria-label={`Failing addresses for ${address}`}>
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
        To keep tests apart, add text after a dot: <code>{tagged('fail-451x2.run7')}</code>
      </p>
    </details>
  );
}
