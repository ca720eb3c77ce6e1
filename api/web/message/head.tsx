import './head.css';
import { useState } from 'preact/hooks';
import type { Message, Person } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { size } from '../parts/size.ts';
import { When } from '../parts/when.tsx';
import { Chip } from './chip.tsx';
import { Found } from './found.tsx';
import { sentencesOf, toneOfReport } from './report-text.ts';
import { isLocalMail, resultsOf, toneOf } from './results.ts';
import { providerTitle } from './source-tab.tsx';
import { Tags } from './tags.tsx';

/**
 * Head of a message in two storeys: the subject with its codes and its link, then sender, recipients, time and size. Recipients of the
 * envelope that no field names were hidden from the others.
 */
export function Head({ message }: { message: Message }) {
  const { goMail } = usePage();
  const { subject, from, from_address, received_at, size_bytes, envelope, submission, report } = message;
  const to = message.to.length > 0 ? message.to : unnamed(message.to_addresses);
  const named = new Set([...to, ...message.cc, ...message.bcc].map(({ address }) => address.toLowerCase()));
  const hidden = envelope.rcpt_to.filter((address) => !named.has(address.toLowerCase()));
  return (
    <header class="keep message-head">
      <div class="line wrap">
        {subject === '' ? (
          <h1 class="muted">No subject</h1>
        ) : (
          <h1 title={subject} dir="auto">
            {subject}
          </h1>
        )}
        <Found message={message} />
      </div>
      <div class="line wrap message-facts">
        <dl class="wrap message-people">
          <People label="From" people={from ? [from] : unnamed([from_address])} />
          <People label="To" people={to} />
          <People label="Cc" people={message.cc} />
          <People label="Bcc" people={[...message.bcc, ...unnamed(hidden)]} />
          <People label="Reply to" people={message.reply_to} />
        </dl>
        <When at={received_at} />
        <span>{size(size_bytes)}</span>
        {submission && (
          <button type="button" class="link" onClick={() => goMail({ tab: 'request' })}>
            by {providerTitle(submission.provider)}
          </button>
        )}
        <Results message={message} />
        <Tags message={message} />
      </div>
      {report && <ReportNote report={report} />}
    </header>
  );
}

const unnamed = (addresses: string[]) => addresses.map((address) => ({ name: '', address }));

/** Number of people that are shown at first. */
const mostPeople = 3;
/** Largest number of people that the API gives of a field. A field with that many may have more. */
const mostGiven = 2000;

/** Row of the head: the first few people, with a button that shows all of them. Absent if there is nobody. */
function People({ label, people }: { label: string; people: Person[] }) {
  const [all, setAll] = useState(false);
  if (people.length === 0) return null;
  const shown = all ? people : people.slice(0, mostPeople);
  const more = people.length - shown.length;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {shown.map((person, at) => (
          <PersonName key={at} person={person} />
        ))}
        {more > 0 && (
          <button type="button" class="link" onClick={() => setAll(true)}>
            and {more} {people.length >= mostGiven && 'or '}more
          </button>
        )}
      </dd>
    </div>
  );
}

/** Name with the address beside it: a sender chooses the name freely. */
function PersonName({ person: { name, address } }: { person: Person }) {
  return (
    <span class="breaks person">
      {name !== '' && name !== address && <bdi>{name}</bdi>}{' '}
      <bdi class="address">{address === '' ? '(nobody)' : address}</bdi>
    </span>
  );
}

/** Button with the results of SPF, DKIM and DMARC, which shows the checks. Absent for local mail, which has none. */
function Results({ message }: { message: Message }) {
  const { goMail } = usePage();
  if (isLocalMail(message)) return null;
  return (
    <button type="button" class="chips" title="Show the checks" onClick={() => goMail({ tab: 'checks' })}>
      {resultsOf(message).map(([name, result]) => (
        <Chip key={name} name={name} result={result} tone={toneOf(result)} />
      ))}
    </button>
  );
}

/** Number of recipients of a report that are shown at first. */
const mostReported = 5;

/** Note at the head of a bounce, a complaint or an automatic reply, with a sentence about each recipient. */
function ReportNote({ report }: { report: NonNullable<Message['report']> }) {
  const [all, setAll] = useState(false);
  const said = sentencesOf(report);
  const shown = all ? said : said.slice(0, mostReported);
  return (
    <div class={`remark report ${toneOfReport(report)}`} role="note">
      {shown.map((sentence, at) => (
        <p key={at}>{sentence}</p>
      ))}
      {shown.length < said.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          and {said.length - shown.length} more
        </button>
      )}
    </div>
  );
}
