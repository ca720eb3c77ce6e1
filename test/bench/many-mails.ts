import type { PreparedMail } from '#core/delivery/delivery.ts';
import { mail } from '#test/once/conformance/mail.ts';
import type { Row } from './report.ts';

/** Emails per batch: the maximum in an SMTP process's commit. */
export const batch = 250;
const mailBytes = 1024;

/** User that emails are written to: the ID, a domain, and accounts there. */
type Addressee = { id: number; domain: string; accounts: { id: number; address: string }[] };

const paddedOf = (number: number) => String(number).padStart(8, '0');

/** Returns an email's subject by its number. No other email has it. */
export const subjectOf = (number: number) => `Your order ${paddedOf(number)} is on its way`;

/** Composes a batch of 1,024-byte emails to the user's accounts in turn, numbered from `first`. */
export function letters({ id: owner, accounts, domain }: Addressee, first: number): PreparedMail[] {
  return Array.from({ length: batch }, (_, index) => {
    const number = paddedOf(first + index);
    const { id: accountId, address } = accounts[index % accounts.length] ?? { id: 0, address: '' };
    const mailFrom = 'orders@sender.example';
    const envelope = {
      mailFrom,
      rcptTo: [address],
      helo: 'client.sender.example',
      remoteAddress: '127.0.0.1',
      tls: false,
      receivedBy: domain,
    };
    const subject = subjectOf(first + index);
    const msgid = `<${number}.bench@sender.example>`;
    const head = `From: ${mailFrom}\r\nTo: ${address}\r\nSubject: ${subject}\r\nMessage-ID: ${msgid}\r\n\r\n`;
    const text = 'A box of pencils, soft, one dozen. '.repeat(30).slice(0, mailBytes - head.length);
    const target = { owner, accountId, mailbox: 'INBOX' as const, deliveredTo: address, tag: null, envelope };
    return mail([target], {
      subject,
      text,
      msgid,
      from: mailFrom,
      to: [address],
      bytes: Buffer.from(head + text),
    });
  });
}

/** Reports the batches' progress on standard error. `committedAt`: each commit's time in seconds. */
export function progress(committedAt: number[]): void {
  const messages = (committedAt.length * batch).toLocaleString('en-US');
  process.stderr.write(`  ${messages} messages after ${committedAt.at(-1)?.toFixed(0)} s\n`);
}

/** Returns the rates of the first and last tenth of the batches. */
export function insertRows(name: string, committedAt: number[]): Row[] {
  const tenth = Math.floor(committedAt.length / 10);
  const at = (index: number) => committedAt[index] ?? Number.NaN;
  const rateOf = (from: number, to: number) => ((to - from) * batch) / (at(to) - at(from));
  const [first, last] = [rateOf(0, tenth), rateOf(committedAt.length - 1 - tenth, committedAt.length - 1)];
  const row = (which: string, value: number): Row => ({
    name: `${name}: ${which}`,
    unit: 'emails/s',
    better: 'more',
    sandpost: { values: [value] },
    mailpit: null,
  });
  const times = last / first;
  const target = { text: `at least 0.8 of the first: ${times.toFixed(2)}`, met: times >= 0.8 };
  return [row('first tenth', first), { ...row('last tenth', last), target }];
}
