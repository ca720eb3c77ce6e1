import type { ComponentChildren } from 'preact';
import type { Message, Source } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Reading, useRead } from '../parts/loaded.tsx';
import { size } from '../parts/size.ts';
import { Dialogue } from './dialogue.tsx';
import { PartChoice } from './part-choice.tsx';
import { Parts } from './parts.tsx';
import { LongText } from './text-tab.tsx';

/** Tab of the message as received: its source, its structure with the attachments, and the dialogue or request that delivered it. */
export function SourceTab({ message }: { message: Message }) {
  const { mailPlace } = usePage();
  const { attachments, envelope, submission, id } = message;
  const choices: [part: string, name: string][] = [
    ['source', 'Message'],
    ['structure', attachments.length > 0 ? 'Structure and attachments' : 'Structure'],
  ];
  // Only SMTP clients introduce themselves with a name. Mail from elsewhere has no dialogue.
  if (envelope.helo !== null) choices.push(['transcript', 'Transcript']);
  if (submission) choices.push(['request', 'Request']);
  const wanted = mailPlace.value.tab === 'attachments' ? 'structure' : mailPlace.value.tab;
  const part = choices.find(([name]) => name === wanted)?.[0] ?? 'source';
  const bar = <PartChoice choices={choices} part={part} />;
  if (part === 'source') return <Received message={message} bar={bar} />;
  if (part === 'request') return <Request message={message} bar={bar} />;
  return (
    <>
      <div class="line wrap panel-bar">{bar}</div>
      {part === 'transcript' ? (
        <Dialogue path={`/api/messages/${id}/transcript`} />
      ) : (
        <Parts message={message} />
      )}
    </>
  );
}

type Props = { message: Message; bar: ComponentChildren };

/** Message as received. A source that is not UTF-8 is shown with one character per byte. */
function Received({ message, bar }: Props) {
  const { rawPath } = usePage();
  const { id, account_id, mailbox_id, size_bytes } = message;
  const path = `/api/accounts/${account_id}/mailboxes/${mailbox_id}/messages/${id}/source`;
  return (
    <Reading of={useRead<Source>(path)} wait={<p class="muted">Reading {size(size_bytes)} …</p>}>
      {({ encoding, source }) => {
        const text = encoding === 'base64' ? atob(source) : source;
        return (
          <>
            <div class="line wrap panel-bar">
              {bar}
              <CopyButton text={text} label="Copy the source" />
              <a class="button" href={rawPath(id)} download={`message-${id}.eml`}>
                <Icon name="download" /> Download
              </a>
              {encoding === 'base64' && (
                <span class="muted">Not valid UTF-8, so each byte is shown as one character.</span>
              )}
            </div>
            <LongText text={text} show={(shown) => <pre class="wraps source">{shown}</pre>} />
          </>
        );
      }}
    </Reading>
  );
}

/** Provider API request that submitted the message: its head without the key, and its body. */
function Request({ message: { submission }, bar }: Props) {
  const { provider = '', request = '' } = submission ?? {};
  return (
    <>
      <div class="line wrap panel-bar">
        {bar}
        <CopyButton text={request} label="Copy the request" />
        <span class="muted">
          Received by the {providerTitle(provider)} API. Shown without the key, up to 64 KiB.
        </span>
      </div>
      <pre class="wraps source">{pretty(request)}</pre>
    </>
  );
}

/** Returns a provider's own spelling of its name. */
export function providerTitle(provider: string): string {
  return titles[provider] ?? provider;
}

const titles: Record<string, string> = {
  sendgrid: 'SendGrid',
  postmark: 'Postmark',
  mailgun: 'Mailgun',
  resend: 'Resend',
  ses: 'Amazon SES',
  mailjet: 'Mailjet',
  brevo: 'Brevo',
  mailersend: 'MailerSend',
};

/** Indents a request's JSON body. Leaves any other body, or a truncated body, unchanged. */
function pretty(request: string): string {
  const blank = request.indexOf('\n\n');
  try {
    const body: unknown = JSON.parse(request.slice(blank));
    return `${request.slice(0, blank)}\n\n${JSON.stringify(body, null, 2)}`;
  } catch {
    return request;
  }
}
