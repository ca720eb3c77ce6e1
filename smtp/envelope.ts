import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';

/** Parts of a mail that a session does not know. */
type Given = Omit<ArrivedMail, 'mailFrom' | 'helo' | 'smtpUtf8' | 'dsn' | 'submitted'>;

/** Returns the mail of a session's transaction. */
export function arrivedMail(session: SMTPServerSession, given: Given): ArrivedMail {
  const { envelope, hostNameAppearsAs } = session;
  return {
    ...given,
    mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
    helo: hostNameAppearsAs || '',
    smtpUtf8: envelope.smtpUtf8 === true,
    dsn: dsnOf(envelope),
    submitted: false,
  };
}

const returned = ['FULL', 'HDRS'] as const;
const conditions = ['NEVER', 'SUCCESS', 'FAILURE', 'DELAY'] as const;

/**
 * Returns the parameters of an envelope for delivery status notifications (RFC 3461), or null where it has none. smtp-server
 * has checked them.
 */
function dsnOf({ dsn, rcptTo }: SMTPServerSession['envelope']): Dsn | null {
  const ret = returned.find((value) => value === dsn?.ret) ?? null;
  const envid = dsn?.envid ?? null;
  const recipients = rcptTo.flatMap(({ address, dsn: asked }) => {
    if (!asked) return [];
    const notify = conditions.filter((condition) => asked.notify?.includes(condition));
    return [{ address, notify, orcpt: asked.orcpt ?? null }];
  });
  return ret === null && envid === null && recipients.length === 0 ? null : { ret, envid, recipients };
}

/** Length of the texts for notifications of an envelope: its ENVID, and each ORCPT with that of a further recipient. */
export function dsnTextLength(
  { dsn, rcptTo }: SMTPServerSession['envelope'],
  recipient: SMTPServerAddress,
): number {
  // A repeated recipient replaces the earlier one.
  const others = rcptTo.filter(({ address }) => address !== recipient.address);
  const orcpts = [...others, recipient].map((one) => one.dsn?.orcpt?.length ?? 0);
  return orcpts.reduce((sum, length) => sum + length, dsn?.envid?.length ?? 0);
}

/** Characters of xtext (RFC 3461 section 4). */
const xtext = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})*$/;

/**
 * Returns the name of the first parameter of MAIL or RCPT that RFC 3461 section 4 does not allow, or null: ENVID has at most
 * 100 characters and ORCPT 500, both in xtext, and NOTIFY names no condition twice.
 */
export function badParameter(command: string): string | null {
  const parameters = command.slice(command.indexOf('>') + 1).matchAll(/ (ENVID|ORCPT|NOTIFY)=(\S*)/gi);
  for (const [, name = '', value = ''] of parameters) {
    const words = value.toUpperCase().split(',');
    const isGood = {
      ENVID: xtext.test(value) && value.length <= 100,
      ORCPT: xtext.test(value.slice(value.indexOf(';') + 1)) && value.length <= 500,
      NOTIFY: new Set(words).size === words.length,
    }[name.toUpperCase()];
    if (!isGood) return name.toUpperCase();
  }
  return null;
}

/** Returns the TLS session of a socket, or null. A name that no host can have (RFC 6066 section 3) counts as none. */
export function tlsInfoOf(socket: Socket): TlsInfo | null {
  if (!(socket instanceof TLSSocket)) return null;
  const { servername } = socket as TLSSocket & { servername?: unknown };
  const isName = typeof servername === 'string' && /^[A-Za-z0-9._-]{1,255}$/.test(servername);
  return {
    version: socket.getProtocol() ?? '',
    cipher: socket.getCipher()?.standardName ?? '',
    serverName: isName ? servername : null,
  };
}
