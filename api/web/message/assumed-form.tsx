import { useState } from 'preact/hooks';
import type { Assumed, Message } from '../client/shapes.ts';
import { Form } from '../parts/form.tsx';
import { Authentication, CheckGroups } from './verdicts.tsx';
import { recordsIn } from './zone-lines.ts';

const example = 'shop.example TXT v=spf1 ip4:203.0.113.7 -all';

/**
 * Form for a client address, a sender and DNS records that are assumed in place of the real ones, and what SPF, DKIM, DMARC, ARC and
 * the audit say of the mail with them. Nothing is stored.
 */
export function AssumedForm({ message: { id, envelope } }: { message: Message }) {
  const [result, setResult] = useState<Assumed | null>(null);
  return (
    <details class="assumed">
      <summary>
        <h2>Would it pass in production?</h2>
      </summary>
      <Form
        fields={[
          {
            name: 'client_ip',
            label: 'Sent from the address',
            help: 'IP address of your sending server',
            start: '',
          },
          { name: 'mail_from', label: 'Envelope sender', start: envelope.mail_from ?? '' },
          {
            name: 'records',
            label: 'DNS records',
            help: `One per line: name, type and data. Example: ${example}`,
            rows: 3,
            start: '',
            sent: recordsIn,
          },
          {
            name: 'dns',
            label: 'Other records',
            choices: [
              ['no', 'There are none'],
              ['yes', 'As published in DNS now'],
            ],
            start: 'no',
            sent: (choice) => choice === 'yes',
          },
        ]}
        call={(body) => ({ method: 'POST', path: `/api/messages/${id}/authentication`, body })}
        label="Check"
        done={setResult}
      />
      {result && (
        <section
          class="checks"
          aria-labelledby="assumed-title"
          ref={(results) => results?.scrollIntoView({ block: 'nearest' })}
        >
          <h3 id="assumed-title">With these facts</h3>
          <Authentication of={result} />
          <CheckGroups checks={result.audit.checks} />
        </section>
      )}
    </details>
  );
}
