import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import {
  type AcceptedRecipient,
  acceptOrCapture,
  type CapturePorts,
} from '#core/delivery/accept-recipient.ts';
import { mayFail } from '#core/delivery/failing.ts';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import type { Id } from '#core/ids.ts';
import type { limits } from '#core/limits.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';
import type { Services } from '#setup/services.ts';
import type { Failures, Outcome } from './failures.ts';
import { readPath } from './path.ts';
import { type RefusalServices, Refusals } from './refusals.ts';
import { failed, type Reply, refusedRecipient, replies } from './replies.ts';
import { senderOf, signedIn } from './session.ts';
import type { ToldReplies } from './told-replies.ts';

/** Parts of a mail that a session does not know. */
type Given = Omit<ArrivedMail, 'mailFrom' | 'submitter' | 'helo' | 'smtpUtf8' | 'dsn' | 'submitted'>;

/** Returns the mail of a session's transaction. */
export function arrivedMail(session: SMTPServerSession, given: Given): ArrivedMail {
  const { envelope, hostNameAppearsAs } = session;
  return {
    ...given,
    mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
    submitter: signedIn(session)?.submitter ?? null,
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
function dsnTextLength({ dsn, rcptTo }: SMTPServerSession['envelope'], recipient: SMTPServerAddress): number {
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
  const given = readPath(command)?.parameters ?? '';
  for (const [, name = '', value = ''] of given.matchAll(/ (ENVID|ORCPT|NOTIFY)=(\S*)/gi)) {
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

export type RecipientServices = CapturePorts & RefusalServices & Pick<Services, 'everybody'>;

/** Recipients of the SMTP transactions under way. */
export type Recipients = {
  /** Looks up an address given to RCPT, and makes its failures. Never rejects. */
  resolve(address: SMTPServerAddress, session: SMTPServerSession): Promise<Outcome>;
  /** Returns the transaction's accepted recipients in their order. A repeated recipient occurs once. */
  accepted(session: SMTPServerSession): AcceptedRecipient[];
  /** Returns the team that the last RCPT concerns, once, or the one that signed in. Null for neither. */
  concerned(session: SMTPServerSession): Id | null;
  /** Refusals of the session, over all of its transactions. */
  refusals(session: SMTPServerSession): Refusals;
};

export function createRecipients(
  services: RecipientServices,
  limits: RecipientLimits,
  failures: Pick<Failures, 'ofMail'>,
  told: Pick<ToldReplies, 'recipientRefused'>,
): Recipients {
  const found = new WeakMap<SMTPServerAddress, AcceptedRecipient>();
  const teams = new WeakMap<SMTPServerSession, Id | null>();
  const sessions = new WeakMap<SMTPServerSession, Refusals>();
  const refusals = (session: SMTPServerSession): Refusals => {
    const known = sessions.get(session) ?? new Refusals(session, services, limits);
    sessions.set(session, known);
    return known;
  };
  const acceptedOf = ({ envelope }: SMTPServerSession): AcceptedRecipient[] =>
    envelope.rcptTo.flatMap((address) => found.get(address) ?? []);
  return {
    refusals,
    async resolve(address, session) {
      const submitter = signedIn(session)?.submitter ?? null;
      const refused = (own: Reply, team: Id | null, isLogged = true): Reply => {
        const past = refusals(session);
        const { exhausted } = past;
        teams.set(session, team);
        if (team !== null) told.recipientRefused(session, team);
        const reply = exhausted ? replies.tooManyRefused : own;
        past.recipient({ ...senderOf(session), address: address.address, team, reply }, isLogged);
        if (exhausted) services.metrics.limitReached('smtp.refusedRecipients');
        return reply;
      };
      if (dsnTextLength(session.envelope, address) > limits.dsnCharacters) {
        services.metrics.limitReached('smtp.dsnCharacters');
        return replies.dsnTooLong;
      }
      try {
        const size = declaredSize(session);
        const verdict = await acceptOrCapture(services, address.address, size, submitter);
        if ('refusal' in verdict) {
          // A full account has one line a minute, by `fullness`.
          const isLogged = verdict.refusal !== 'no-room';
          return refused(refusedRecipient(verdict.refusal, verdict.address), verdict.team, isLogged);
        }
        found.set(address, verdict);
        teams.set(session, verdict.owner);
        if (!mayFail(verdict)) return null;
        const accepted = [...acceptedOf(session), verdict];
        return await failures.ofMail('rcpt', session, { accepted, recipient: verdict });
      } catch (error) {
        if (!refusals(session).exhausted)
          services.log.error({ err: error }, 'a recipient could not be looked up');
        return refused(failed(error), (submitter ?? services.everybody)?.owner ?? null);
      }
    },
    concerned(session) {
      const team = teams.get(session);
      teams.delete(session);
      return signedIn(session)?.submitter.owner ?? team ?? services.everybody?.owner ?? null;
    },
    accepted: acceptedOf,
  };
}

/** Returns the SIZE that MAIL declared (RFC 1870), in bytes, or 0 without one. */
function declaredSize({ envelope }: SMTPServerSession): number {
  const args = envelope.mailFrom ? envelope.mailFrom.args : false;
  return args && typeof args.SIZE === 'string' ? Number(args.SIZE) : 0;
}

type RecipientLimits = Pick<typeof limits.smtp, 'refusedRecipients' | 'loggedMails' | 'dsnCharacters'>;
