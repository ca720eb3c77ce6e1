import { splitAddress } from '#core/accounts/address.ts';
import { type AcceptedRecipient, onlyTeam, teamOfDomain } from '#core/delivery/accept-recipient.ts';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import { partyOfSignIn, type Submitter } from '#core/delivery/submitter.ts';
import type { Id } from '#core/ids.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import { recipientOf } from './command-line.ts';
import { type Reply, replies } from './replies.ts';
import type { Shared } from './shared.ts';

/** Sender of an email or a command, as far as the dialogue shows. */
export type Sender = {
  remoteAddress: string | null;
  helo: string | null;
  mailFrom: string | null;
  submitter: Pick<Submitter, 'kind' | 'name'> | null;
};

/** Parts of a transaction that refusals need. `refusedTeam`: team of the transaction's last refused recipient. */
type Told = {
  readonly sender: Sender;
  readonly submitter: Submitter | null;
  readonly refusedTeam: Id | null;
  readonly transcript: { upToRefusal(isSubmitter: boolean): string };
};

/** Refusal to record for a team. If a simulated failure ended the connection, the reply has no code. */
type Noted = {
  team: Id;
  stage: RefusalStage;
  reply: Omit<Reply, 'code'> & Partial<Pick<Reply, 'code'>>;
  rcptTo?: string[];
  failure?: Id | null;
  /** Dialogue up to what was refused, if other commands have run since. */
  transcript?: string;
};

/** Command that was replied to, and the recipients of its transaction so far. */
type Place = { stage: RefusalStage; command: string; accepted: AcceptedRecipient[] };

/** Refusal of a command that one team sees, with the team's own recipients. */
type Concern = { team: Id; rcptTo: string[] };

/**
 * Refusals of one connection in all of its transactions. Records each refusal for its team, but logs only a few lines: immediately, the
 * first refused sign-in, the first refused recipient and the first `loggedMails` refused emails; at the end, one line with the number of
 * all others.
 */
export class Refusals {
  readonly #transaction: Told;
  readonly #services: Shared['services'];
  readonly #limits: Shared['limits'];
  #recipients = 0;
  #quiet = 0;
  #mails = 0;
  #commands = 0;
  /** Reply that will be sent next and whose refusal is already recorded. */
  #noted: Reply | null = null;
  /** True if one of the transaction's recipients has been refused. */
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

  /** True if the session has reached the maximum number of refused recipients. */
  get exhausted(): boolean {
    return this.#recipients >= this.#limits.refusedRecipients;
  }

  /** Records a refusal for the team that it concerns. */
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

  /** Records a refusal whose reply will be sent next. */
  reply(reply: Reply, noted: Omit<Noted, 'reply'>, sender?: Sender): void {
    this.#noted = reply;
    this.note({ ...noted, reply }, sender);
  }

  /** Logs only a submitter's first refusal, because one client may cause many. */
  signIn({ code, text }: Reply): void {
    if (this.#isSignInLogged) return;
    this.#isSignInLogged = true;
    const { remoteAddress } = this.#transaction.sender;
    const told = { event: 'submitter.refused', reply: `${code} ${text}`, remoteAddress };
    this.#services.log.info(told, 'refused a sign-in');
  }

  /**
   * Records a refused sign-in for its team. Looks up the team in the background, one lookup at a time per session, so the reply does not
   * reveal anything about the team, not even by its timing.
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

  /** Counts a refused recipient of a team, or of no team (null). If `isLogged` is false, another part logs the refusal. */
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

  /**
   * Records a refused email for its recipients' teams, each with the team's own recipients. If `isLogged` is false, another part logs the
   * refusal.
   */
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
   * Records a 4xx or 5xx reply that has not been recorded yet: about syntax, order, limits or time. The reply concerns the signed-in
   * submitter; else the team of the domain in RCPT; else the teams of the email's recipients so far; else the installation's only team.
   * The sender in MAIL never determines a team, because anybody can name any sender. A session has only a few such records.
   */
  command(reply: Reply, place: Place): void {
    const { code, text, reason = code < 500 ? 'try-again' : 'bad-command' } = reply;
    if (place.stage === 'rcpt') this.#hasRefused = true;
    // If a client sends DATA together with RCPT, the reply to DATA adds nothing new.
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

  /**
   * Returns a function that looks up the teams that a refusal concerns. Reads the session's data immediately, but the store only when the
   * function is called.
   */
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

  /** Starts the next transaction. */
  reset(): void {
    this.#hasRefused = false;
  }

  /** Logs the number of further refusals at the end of the session. Logs nothing if it is called again. */
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

/** Returns the recipients' teams, each with the team's own recipients. */
function concernsOf(recipients: AcceptedRecipient[]): Concern[] {
  return [...Map.groupBy(recipients, ({ owner }) => owner)].map(([team, own]) => {
    return { team, rcptTo: own.map(({ address }) => address) };
  });
}
