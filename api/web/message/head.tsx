import './head.css';
import type { Message } from '../client/shapes.ts';
import { size } from '../parts/size.ts';
import { When } from '../parts/when.tsx';
import { goMail } from '../place.ts';
import { Chips } from './chips.tsx';
import { Found } from './found.tsx';
import { People, PersonName } from './people.tsx';
import { providerTitle } from './request-tab.tsx';

/** Head of a message: subject, sender, recipients, time, size, results at a glance, and codes. */
export function Head({ message }: { message: Message }) {
  const { subject, from, from_address, received_at, size_bytes, delivered_to, submission } = message;
  const to = message.to.length > 0 ? message.to : named(message.to_addresses);
  const isNamed = [...to, ...message.cc].some(
    ({ address }) => address.toLowerCase() === delivered_to.toLowerCase(),
  );
  return (
    <header class="message-head">
      <div class="message-title">
        {subject === '' ? (
          <h1 class="muted">(no subject)</h1>
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
        <People label="Bcc" people={message.bcc} />
        <People label="Reply to" people={message.reply_to} />
        <People label="Came to" people={isNamed ? [] : named([delivered_to])} />
      </dl>
      <Chips message={message} />
      <Found message={message} />
    </header>
  );
}

const named = (addresses: string[]) => addresses.map((address) => ({ name: '', address }));
