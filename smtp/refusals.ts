import { splitAddress } from '#core/accounts/address.ts';
import { type AcceptedRecipient, onlyTeam, teamOfDomain } from '#core/delivery/accept-recipient.ts';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import { partyOfSignIn, type Submitter } from '#core/delivery/submitter.ts';
import type { Id } from '#core/ids.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import { recipientOf } from './command-line.ts';
import { type Reply, replies } from './replies.ts';
import type { Shared } from './shared.ts';

/** Sender of a mail or of a command, as the dialogue told it. */
export type Sender = {
  remoteAddress: string | null;
  helo: string | null;
  mailFrom: string | null;
  submitter: Pick<Submitter, 'kind' | 'name'> | null;
};

/** Transaction, as refusals need it. `refusedTeam`: of its last recipient that was refused. */
type Told = {
  readonly sender: Sender;
  readonly submitter: Submitter | null;
  readonly refusedTeam: Id | null;
  readonly transcript: { upToRefusal(isSubmitter: boolean): string };
};

/** Refusal of a team. A connection that ended on purpose has a reply without a code. */
type Noted = {
  team: Id;
  stage: RefusalStage;
  reply: Omit<Reply, 'code'> & Partial<Pick<Reply, 'code'>>;
  rcptTo?: string[];
  failure?: Id | null;
  /** Dialogue up to what was refused, where others have come since. */
  transcript?: string;
};

/** Command that was replied to, and the recipients that its transaction has so far. */
type Place = { stage: RefusalStage; command: string; accepted: AcceptedRecipient[] };

/** Refusal of a command for one team, with the recipients that are the team's. */
type Concern = { team: Id; rcptTo: string[] };

/**
 * Refusals of one connection, over all of its transactions. Notes each for its team, and logs them in few lines: the first refused
 * sign-in, the first refused recipient and the first `loggedMails` refused mails at once, and the number of all others in one
 * line at the end.
 */
export class Refusals {
  readonly #transaction: Told;
  readonly #services: Shared['services'];
  readonly #limits: Shared['limits'];
  #recipients = 0;
  #quiet = 0;
  #mails = 0;
  #commands = 0;
  /** Reply that is noted, and will be sent next. */
  #noted: Reply | null = null;
  /** True if a recipient of the transaction was refused. */
  #hasRefused = false;
  #isSignInLogged = false;
  #looksUpSignIn = false;
  #lookUps: Promise<void> = Promise.resolve();
  #remoteAddress: string | null = null;

  constructor(transaction: Told, { services, limits }: Shared) {
    this.#transaction = transaction;
    this.#services = services;
    this.#limits = limits;
  }

  /** True if the session has as many refused recipients as it may have. */
  get exhausted(): boolean {
    return this.#recipients >= this.#limits.refusedRecipients;
  }

  /** Notes a refusal for the team that it concerns. */
  note(noted: Noted, sender: Sender = this.#transaction.sender): void {
    const { team, stage, reply, rcptTo = [], failure = null } = noted;
    const isSubmitter = this.#transaction.submitter?.owner === team;
    const { transcript = this.#transaction.transcript.upToRefusal(isSubmitter) } = noted;
    const { remoteAddress, helo, mailFrom, submitter } = sender;
    this.#services.refusals.note({
      ...{ team, at: this.#services.clock(), stage, rcptTo, reason: reply.reason ?? 'try-again' },
      reply: reply.code === undefined ? reply.text : `${reply.code} ${reply.text}`,
      ...{ remoteAddress, helo, mailFrom, failure, transcript },
      authenticatedAs: submitter && { kind: submitter.kind, name: submitter.name },
    });
  }

  /** Notes a refusal whose reply is sent next. */
  reply(reply: Reply, noted: Omit<Noted, 'reply'>, sender?: Sender): void {
    this.#noted = reply;
    this.note({ ...noted, reply }, sender);
  }

  /** Logs the first refusal of a submitter: one client may cause many. */
  signIn({ code, text }: Reply): void {
    if (this.#isSignInLogged) return;
    this.#isSignInLogged = true;
    const { remoteAddress } = this.#transaction.sender;
    const told = { event: 'submitter.refused', reply: `${code} ${text}`, remoteAddress };
    this.#services.log.info(told, 'refused a sign-in');
  }

  /**
   * Notes a refused sign-in for its team, which is looked up meanwhile, at most once at a time for a session: the reply tells nothing
   * of it, not even by its time.
   */
  async credentials(credentials: { userName: string; password: string }, reply: Reply): Promise<void> {
    this.#noted = reply;
    if (this.#looksUpSignIn) return;
    this.#looksUpSignIn = true;
    const { sender, transcript } = this.#transaction;
    const dialogue = transcript.upToRefusal(false);
    try {
      const submitter = await partyOfSignIn(this.#services, credentials);
      const team = submitter?.owner ?? (await onlyTeam(this.#services));
      if (team !== null)
        this.note({ team, stage: 'auth', reply, transcript: dialogue }, { ...sender, submitter });
    } catch (err) {
      this.#services.log.debug({ err }, "could not look up a refused sign-in's team");
    } finally {
      this.#looksUpSignIn = false;
    }
  }

  /** Counts a refused recipient of a team, null for none. Without `isLogged` somebody else logs it. */
  recipient(address: string, team: Id | null, reply: Reply, isLogged = true): void {
    const { mailFrom, remoteAddress } = this.#transaction.sender;
    const rcptTo = [address];
    this.#recipients += 1;
    this.#remoteAddress = remoteAddress;
    if (team !== null) this.reply(reply, { team, stage: 'rcpt', rcptTo });
    const line = { reply: `${reply.code} ${reply.text}`, mailFrom, rcptTo, remoteAddress };
    if (!isLogged) this.#quiet += 1;
    else if (this.#recipients - this.#quiet === 1)
      this.#services.log.info({ event: 'mail.refused', ...line }, 'refused a recipient');
  }

  /** Notes a mail for the teams of its recipients, each with its own ones. Without `isLogged` somebody else logs it. */
  mail(mail: ArrivedMail, sizeBytes: number, reply: Reply, isLogged = true): void {
    const { mailFrom, remoteAddress, recipients } = mail;
    this.#noted = reply;
    for (const own of concernsOf(recipients)) this.note({ ...own, stage: 'end', reply }, mail);
    if (!isLogged) return;
    this.#mails += 1;
    this.#remoteAddress = remoteAddress;
    if (this.#mails > this.#limits.loggedMails) return;
    const rcptTo = recipients.map(({ address }) => address);
    const line = { reply: `${reply.code} ${reply.text}`, sizeBytes, mailFrom, rcptTo, remoteAddress };
    this.#services.log.info({ event: 'mail.refused', ...line }, 'did not store an email');
  }

  /**
   * Notes a reply of 4xx or 5xx that was not noted yet: of syntax, order, limits and time. It concerns who signed in; else the team of
   * the domain that RCPT names; else the teams of the mail's recipients so far; else the only team of the installation. Never a
   * team because of the sender that MAIL names, which anybody can name. Each session has few of them.
   */
  command(reply: Reply, place: Place): void {
    const { code, text, reason = code < 500 ? 'try-again' : 'bad-command' } = reply;
    if (place.stage === 'rcpt') this.#hasRefused = true;
    // A client that sends DATA along with RCPT is told nothing new by its reply.
    const isKnown = this.#noted === reply || (reply === replies.noRecipients && this.#hasRefused);
    this.#noted = null;
    if (isKnown) return;
    this.#commands += 1;
    const most = this.#limits.refusedCommands;
    if (this.#commands === most + 1) this.#services.metrics.limitReached('smtp.refusedCommands');
    if (this.#commands > most) return;
    const { sender, submitter } = this.#transaction;
    const transcript = this.#transaction.transcript.upToRefusal(submitter !== null);
    const told = { stage: place.stage, reply: { code, text, reason }, transcript };
    const concerned = this.#concerned(place);
    this.#lookUps = this.#lookUps
      .then(async () => {
        for (const concern of await concerned()) this.note({ ...told, ...concern }, sender);
      })
      .catch((err) => this.#services.log.debug({ err }, "could not look up a refused command's team"));
  }

  /** Returns the lookup of the teams that a refusal concerns. What the session knows is read at once, and the store later. */
  #concerned({ stage, command, accepted }: Place): () => Promise<Concern[]> {
    const { submitter, refusedTeam } = this.#transaction;
    const address = stage === 'rcpt' ? recipientOf(command) : null;
    const rcptTo = address === null ? [] : [address];
    const own = concernsOf(accepted);
    return async () => {
      if (submitter !== null) return [{ team: submitter.owner, rcptTo }];
      if (address === null && own.length > 0) return own;
      const named =
        address === null ? refusedTeam : await teamOfDomain(this.#services, splitAddress(address).domain);
      const team = named ?? (await onlyTeam(this.#services));
      return team === null ? [] : [{ team, rcptTo }];
    };
  }

  /** Begins the next transaction. */
  reset(): void {
    this.#hasRefused = false;
  }

  /** Logs the number of further refusals, at the end of the session. A second call logs nothing. */
  end(): void {
    const recipients = Math.max(0, this.#recipients - this.#quiet - 1);
    const mails = Math.max(0, this.#mails - this.#limits.loggedMails);
    this.#recipients = this.#quiet = this.#mails = 0;
    if (recipients + mails === 0) return;
    if (mails > 0) this.#services.metrics.limitReached('smtp.loggedMails');
    this.#services.log.info(
      { event: 'mail.refused_more', recipients, mails, remoteAddress: this.#remoteAddress },
      'a session had further refusals',
    );
  }
}

/** Returns the teams of recipients, each with its own. */
function concernsOf(recipients: AcceptedRecipient[]): Concern[] {
  return [...Map.groupBy(recipients, ({ owner }) => owner)].map(([team, own]) => {
    return { team, rcptTo: own.map(({ address }) => address) };
  });
}
