import { useState } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { addressesOf, type Draft, emptyDraft } from './draft.ts';

/** Page that sends an email from one of the user's accounts to addresses on the user's domains. */
export function Compose() {
  const { directory, draft, linkToPage } = usePage();
  const senders = (directory.value?.accounts ?? []).filter(({ address }) => !address.startsWith('*@'));
  const [sent, setSent] = useState('');
  const mail = draft.value;
  const sender = senders.find(({ address }) => address === mail.from) ?? senders[0];
  const change = (changed: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changed };
  };
  const field = (name: keyof Draft) => ({
    name,
    value: mail[name],
    set: (value: string) => change({ [name]: value }),
  });
  return (
    <>
      <h1>Compose</h1>
      <p class="muted">Mail stays inside Sandpost: you can send only to addresses on your own domains.</p>
      {senders.length === 0 ? (
        <p>
          You need an account to send: <a href={linkToPage('accounts')}>create one</a>.
        </p>
      ) : (
        <Form
          call={() => ({
            method: 'POST',
            path: `/api/accounts/${sender?.id ?? 0}/messages/send`,
            body: bodyOf(mail),
          })}
          label="Send"
          done={() => {
            const all = [mail.to, mail.cc, mail.bcc].flatMap(addressesOf);
            // An email sent through the API fails with a report, as with a provider.
            const told = all.some((address) => /\+fail-/i.test(address))
              ? ` Reports on simulated failures go to ${sender?.address}.`
              : '';
            setSent(`Delivered to ${addressesOf(mail.to).join(', ')}. A copy is in Sent.${told}`);
            change({ ...emptyDraft, from: mail.from, to: mail.to });
          }}
        >
          <Field
            name="account"
            label="From"
            value={sender?.address ?? ''}
            set={(from) => change({ from })}
            choices={senders.map(({ address }) => address)}
          />
          <Field label="To" help="Separate addresses with commas" {...field('to')} />
          <details class="further" open={mail.cc !== '' || mail.bcc !== '' || mail.replyTo !== ''}>
            <summary>Cc, Bcc, Reply-To</summary>
            <Field label="Cc" {...field('cc')} />
            <Field label="Bcc" {...field('bcc')} />
            <Field label="Reply-To" {...field('replyTo')} />
          </details>
          <Field label="Subject" {...field('subject')} />
          <Field label="Text" rows={8} {...field('text')} />
          <Field label="HTML" rows={6} {...field('html')} />
          <p role="status">{sent}</p>
        </Form>
      )}
    </>
  );
}

/** Returns the request body. Omits empty fields. */
function bodyOf({ from: _, to, cc, bcc, replyTo, ...texts }: Draft): object {
  const lists = { cc: addressesOf(cc), bcc: addressesOf(bcc), replyTo: addressesOf(replyTo) };
  const given = [...Object.entries(lists), ...Object.entries(texts)].filter(([, value]) => value.length > 0);
  return { to: addressesOf(to), ...Object.fromEntries(given) };
}
