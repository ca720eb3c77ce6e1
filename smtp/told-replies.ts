import { splitAddress } from '#core/accounts/loose-address.ts';
import type { AcceptedRecipient, CapturePorts } from '#core/delivery/accept-recipient.ts';
import { onlyTeam, teamOfDomain } from '#core/delivery/accept-recipient.ts';
import type { Id } from '#core/ids.ts';
import type { limits } from '#core/limits.ts';
import type { Reason } from '#core/refusals/advice.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import { recipientOf } from './path.ts';
import { noteRefusal, type RefusalServices } from './refusals.ts';
import { isTooLarge, isTooMany, type Reply, replies } from './replies.ts';
import { type SMTPServerSession, senderOf, signedIn, takeTold } from './session.ts';

export type ToldServices = RefusalServices &
  Pick<CapturePorts, 'deliveries' | 'everybody' | 'captureAddress'>;

/** Command that was replied to, and the recipients that its transaction has so far. */
type Place = { stage: RefusalStage; command: string; accepted: AcceptedRecipient[] };

/** Refusal of a command for one team, with the recipients that are the team's. */
type Concern = { team: Id; rcptTo: string[] };

/**
 * Notes the replies of 4xx and 5xx that no other part of the dialogue has noted: of syntax, order, limits and time. They concern who
 * signed in; else the team of the domain that RCPT names; else the teams of the mail's recipients so far; else the only team of
 * the installation. Never a team because of the sender that MAIL names, which anybody can name. Each session has few of them.
 */
export class ToldReplies {
  readonly #services: ToldServices;
  readonly #most: number;
  readonly #sessions = new WeakMap<SMTPServerSession, { count: number; last: Promise<void> }>();
  readonly #refused = new WeakMap<SMTPServerSession['envelope'], Id>();
  /** Transactions with a recipient that was refused. */
  readonly #withRefused = new WeakSet<SMTPServerSession['envelope']>();

  constructor(services: ToldServices, { refusedCommands }: Pick<typeof limits.smtp, 'refusedCommands'>) {
    this.#services = services;
    this.#most = refusedCommands;
  }

  /** Keeps the team of a recipient that was refused: what else is refused in that transaction concerns it too. */
  recipientRefused({ envelope }: SMTPServerSession, team: Id): void {
    this.#refused.set(envelope, team);
  }

  /** Notes a reply, if it is a refusal that was not noted yet. */
  reply(session: SMTPServerSession, line: string, place: Place): void {
    const code = Number(line.slice(0, 3));
    if (code < 400) return;
    if (place.stage === 'rcpt') this.#withRefused.add(session.envelope);
    // A client that sends DATA along with RCPT is told nothing new by its reply.
    const isEcho = line === noRecipients && this.#withRefused.has(session.envelope);
    if (takeTold(session, line) || isEcho) return;
    const known = this.#sessions.get(session) ?? { count: 0, last: Promise.resolve() };
    this.#sessions.set(session, known);
    known.count += 1;
    if (known.count > this.#most) {
      if (known.count === this.#most + 1) this.#services.metrics.limitReached('smtp.refusedCommands');
      return;
    }
    const sender = senderOf(session);
    const told = {
      stage: place.stage,
      reply: { code, text: line.slice(4), reason: reasonOf(line, place.stage) },
    };
    const concerned = this.#concerned(session, place);
    known.last = known.last
      .then(async () => {
        for (const concern of await concerned()) noteRefusal(this.#services, sender, { ...told, ...concern });
      })
      .catch((err) =>
        this.#services.log.debug({ err }, 'the team of a refused command could not be looked up'),
      );
  }

  /** Returns the lookup of the teams that a refusal concerns. What the session knows is read at once, and the store later. */
  #concerned(session: SMTPServerSession, { stage, command, accepted }: Place): () => Promise<Concern[]> {
    const submitter = signedIn(session)?.submitter ?? null;
    const address = stage === 'rcpt' ? recipientOf(command) : null;
    const rcptTo = address === null ? [] : [address];
    const own = [...Map.groupBy(accepted, ({ owner }) => owner)].map(([team, recipients]) => ({
      ...{ team, rcptTo: recipients.map((one) => one.address) },
    }));
    const refused = this.#refused.get(session.envelope) ?? null;
    return async () => {
      if (submitter !== null) return [{ team: submitter.owner, rcptTo }];
      if (address === null && own.length > 0) return own;
      const team =
        (address === null ? refused : await teamOfDomain(this.#services, splitAddress(address).domain)) ??
        (await onlyTeam(this.#services));
      return team === null ? [] : [{ team, rcptTo }];
    };
  }
}

const noRecipients = `${replies.noRecipients.code} ${replies.noRecipients.text}`;

const reasons = new Map(
  Object.values<Reply>(replies).map(({ code, text, reason }) => [`${code} ${text}`, reason]),
);

/** Returns the reason of a reply, of ours or of smtp-server. */
function reasonOf(line: string, stage: RefusalStage): Reason {
  const known = reasons.get(line);
  if (known !== undefined) return known;
  if (isTooLarge([line])) return 'too-large';
  if (isTooMany([line])) return 'too-many-recipients';
  if (stage === 'rcpt' && line.startsWith('501 5.1.3')) return 'bad-address';
  return line.startsWith('4') ? 'try-again' : 'bad-command';
}
