import type { Message } from '../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';

/** Tab of the request to a provider API that the message came by: its head without the key, and its body. */
export function RequestTab({ message: { submission } }: { message: Message }) {
  const { provider = '', request = '' } = submission ?? {};
  return (
    <>
      <div class="panel-bar">
        <CopyButton text={request} label="Copy the request" />
        <span class="muted">
          Came by the API of {providerTitle(provider)}, shown without the key, up to 64 KiB.
        </span>
      </div>
      <pre class="source">{pretty(request)}</pre>
    </>
  );
}

/** Returns the name that a provider calls itself. */
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

/** Indents the JSON body of a request. Any other body, and one that was cut, is left as it is. */
function pretty(request: string): string {
  const blank = request.indexOf('\n\n');
  try {
    const body: unknown = JSON.parse(request.slice(blank));
    return `${request.slice(0, blank)}\n\n${JSON.stringify(body, null, 2)}`;
  } catch {
    return request;
  }
}
