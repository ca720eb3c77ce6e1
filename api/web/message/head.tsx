import './head.css';
import { useRef, useState } from 'preact/hooks';
import type { Message, Person } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { count, size } from '../parts/size.ts';
import { When } from '../parts/when.tsx';
import { Chip } from './chip.tsx';
import { linkNames } from './link-names.ts';
import { isWebLink } from './linkify.ts';
import { sentencesOf, toneOfReport } from './report-text.ts';
import { isLocalMail, resultsOf, toneOf } from './results.ts';
import { providerTitle } from './source-tab.tsx';
import { Tags } from './tags.tsx';

/**
 * Message head on two levels: the subject with codes and link, then sender, recipients, time and size. Envelope recipients that no field
 * names are marked as hidden from the others.
 */
export function Head({ message }: { message: Message }) {
  const { goMail } = usePage();
  const { subject, from, from_address, received_at, size_bytes, envelope, submission, report } = message;
  const to = message.to.length > 0 ? message.to : unnamed(message.to_addresses);
  const named = new Set([...to, ...message.cc, ...message.bcc].map(({ address }) => address.toLowerCase()));
  const hidden = envelope.rcpt_to.filter((address) => !named.has(address.toLowerCase()));
  return (
    <header class="keep message-head">
      <div class="line wrap apart">
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

/** Number of people initially shown. */
const mostPeople = 3;
/** Maximum number of people that the API returns per field. A field with this number may have more. */
const mostGiven = 2000;

/** Row of the head: the first few people, with a button that shows all. Absent if there are no people. */
function People({ label, people }: { label: string; people: Person[] }) {
  const [all, setAll] = useState(false);
  if (people.length === 0) return null;
  const shown = all ? people : people.slice(0, mostPeople);
  const more = people.length - shown.length;
  return (
    <div class="wrap">
      <dt>{label}</dt>
      <dd class="wrap">
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

/** Name with the address next to it, because senders choose their names freely. */
function PersonName({ person: { name, address } }: { person: Person }) {
  return (
    <span class="breaks person">
      {name !== '' && name !== address && <bdi>{name}</bdi>}{' '}
      <bdi class="address">{address === '' ? '(nobody)' : address}</bdi>
    </span>
  );
}

/** Button that shows the SPF, DKIM and DMARC results and opens the checks. Absent for local mail, which has no results. */
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

/** Number of a report's recipients initially shown. */
const mostReported = 5;

/** Note at the top of a bounce, a complaint or an automatic reply, with a sentence about each recipient. */
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

const sources: Record<string, string> = {
  header: 'in the OTP-Token field',
  subject: 'in the subject',
  text: 'in the text',
  html: 'in the HTML',
};

/** Number of codes initially shown. */
const mostCodes = 2;

/** Codes, main link and attachments of an email: what a tester needs next. A button shows all codes and links. */
function Found({ message }: { message: Message }) {
  const { goMail, mailPlace } = usePage();
  const { tab } = mailPlace.value;
  const below = useRef<string | null>(null);
  if (tab !== 'codes') below.current = tab;
  const { attachments, codes, links, main_link: main } = message;
  const link = links.find(({ url }) => url === main);
  const name = linkNames[link?.kind ?? ''] ?? 'Link';
  return (
    <div class="line wrap founds">
      {codes.slice(0, mostCodes).map(({ value }) => (
        <span class="boxed found" key={value}>
          <code class="breaks found-code">{value}</code>
          <CopyButton text={value} label={`Copy the code ${value}`} />
        </span>
      ))}
      {link && (
        <span class="boxed found">
          <a href={link.url} target="_blank" rel="noopener noreferrer" title={link.url}>
            {name}
          </a>
          <CopyButton text={link.url} label={`Copy the link: ${name}`} />
        </span>
      )}
      {attachments.length > 0 && (
        <button type="button" class="quiet" onClick={() => goMail({ tab: 'structure' })}>
          <Icon name="clip" size={14} /> {count(attachments.length, 'attachment')}
        </button>
      )}
      {links.length + Math.max(codes.length - mostCodes, 0) > 0 && (
        <button type="button" class="quiet" onClick={() => goMail({ tab: 'codes' })}>
          {links.length > 0 ? count(links.length, 'link') : `${codes.length} codes`}
          <span class="hidden">: all codes and links</span>
        </button>
      )}
      {tab === 'codes' && (
        <Dialog title="Codes and links" close={() => goMail({ tab: below.current })}>
          <Codes message={message} />
        </Dialog>
      )}
    </div>
  );
}

/** All codes and links, to copy or follow. */
function Codes({ message: { codes, links } }: { message: Message }) {
  return (
    <ul class="stack codes">
      {codes.map(({ value, source }) => (
        <li key={value} class="wrap">
          <CopyButton text={value} label={`Copy the code ${value}`} />
          <code class="breaks found-code">{value}</code>
          <span class="muted">{sources[source] ?? source}</span>
        </li>
      ))}
      {links.map((link) => (
        <Link key={link.url} {...link} />
      ))}
    </ul>
  );
}

function Link({ url, text, kind }: Message['links'][number]) {
  const name = linkNames[kind];
  return (
    <li class="wrap">
      <CopyButton text={url} label={`Copy the link ${text || url}`} />
      <div class="breaks found-link">
        <div>
          {name && <span class="badge">{name}</span>} <bdi>{text}</bdi>
        </div>
        {isWebLink(url) ? (
          <a class="mono" href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        ) : (
          <span class="mono">{url}</span>
        )}
      </div>
    </li>
  );
}
