import './head.css';
import type { Message } from '../client/shapes.ts';
import { size } from '../parts/size.ts';
import { When } from '../parts/when.tsx';
import { goMail } from '../place.ts';
import { Chips } from './chips.tsx';
import { Found } from './found.tsx';
import { People, PersonName } from './people.tsx';
import { providerTitle } from './request-tab.tsx';

/**
 * Head of a message: subject, sender, recipients, time, size, results at a glance, and codes. Recipients of the envelope that no
 * field names were hidden from the others.
 */
export function Head({ message }: { message: Message }) {
  const { subject, from, from_address, received_at, size_bytes, envelope, submission } = message;
  const to = message.to.length > 0 ? message.to : people(message.to_addresses);
  const named = new Set([...to, ...message.cc, ...message.bcc].map(({ address }) => address.toLowerCase()));
  const hidden = envelope.rcpt_to.filter((address) => !named.has(address.toLowerCase()));
  return (
    <header class="message-head">
      <div class="message-title">
        {subject === '' ? (
          <h1 class="muted">No subject</h1>
        ) : (
          <h1 title={subject} dir="auto">
            {subject}
          </h1>
        )}
        <span class="message-facts">
          <When at={received_at} />
          <span>{size(size_bytes)}</span>
          {submission && (
            <button type="button" class="link" onClick={() => goMail({ tab: 'request' })}>
              by {providerTitle(submission.provider)}
            </button>
          )}
        </span>
      </div>
      <dl class="message-people">
        <People label="From" people={[]}>
          <PersonName person={from ?? { name: '', address: from_address }} />
        </People>
        <People label="To" people={to} />
        <People label="Cc" people={message.cc} />
        <People label="Bcc" people={[...message.bcc, ...people(hidden)]} />
        <People label="Reply to" people={message.reply_to} />
      </dl>
      <Chips message={message} />
      <Found message={message} />
    </header>
  );
}

const people = (addresses: string[]) => addresses.map((address) => ({ name: '', address }));
