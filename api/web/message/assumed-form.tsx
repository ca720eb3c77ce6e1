import { useState } from 'preact/hooks';
import type { Assumed, Message } from '../client/shapes.ts';
import { Form } from '../parts/form.tsx';
import { Chip } from './chip.tsx';
import { isLocalMail, resultsOf, toneOf } from './results.ts';
import { FixFirst, Group } from './verdicts.tsx';
import { recordsIn } from './zone-lines.ts';

/** Returns editable records of the sender's domains: SPF of the envelope sender's domain, DMARC of the visible sender's domain. */
const recordsOf = ({ envelope, from_address }: Message) => {
  const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1);
  return `${domainOf(envelope.mail_from || from_address)} TXT v=spf1 ip4:203.0.113.7 -all
_dmarc.${domainOf(from_address)} TXT v=DMARC1; p=reject`;
};

/**
 * Form for an assumed client address, sender and DNS records that replace the real ones, with the resulting SPF, DKIM, DMARC, ARC
 * and audit results. Nothing is stored.
 */
export function AssumedForm({ message }: { message: Message }) {
  const [result, setResult] = useState<Assumed | null>(null);
  return (
    <details class="assumed">
      <summary>
        <h2>Would it pass in production?</h2>{' '}
        {isLocalMail(message) && (
          <span class="muted">Mail sent from your own network has no SPF, DKIM or DMARC result.</span>
        )}
      </summary>
      <Form
        fields={[
          {
            name: 'client_ip',
            label: 'Sending IP address',
            help: 'The public IP address of your production mail server',
            start: '',
          },
          { name: 'mail_from', label: 'Envelope sender', start: message.envelope.mail_from ?? '' },
          {
            name: 'records',
            label: 'DNS records',
            help: 'One per line: name, type and data',
            rows: 3,
            start: recordsOf(message),
            sent: recordsIn,
          },
          {
            name: 'dns',
            label: 'Other records',
            choices: [
              ['no', 'None'],
              ['yes', 'As published in DNS now'],
            ],
            start: 'no',
            sent: (choice) => choice === 'yes',
          },
        ]}
        call={(body) => ({ method: 'POST', path: `/api/messages/${message.id}/authentication`, body })}
        label="Check"
        done={setResult}
      />
      {result && (
        <section
          class="checks"
          aria-labelledby="assumed-title"
          ref={(results) => results?.scrollIntoView({ block: 'nearest' })}
        >
          <h3 id="assumed-title">Result with these values</h3>
          <p class="line wrap">
            {resultsOf(result).map(([name, found]) => (
              <Chip key={name} name={name} result={found} tone={toneOf(found)} />
            ))}
          </p>
          <FixFirst of={result.audit.checks} />
          <Group title="Worth knowing" of={[['plain', result.audit.checks.info]]} />
          <Group title="Passed" of={[['good', result.audit.checks.passed]]} />
        </section>
      )}
    </details>
  );
}
