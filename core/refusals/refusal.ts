import type { Stage } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { firstCharacters } from '#core/messages/mail-record.ts';
import type { SignedIn } from '#core/messages/message.ts';
import { keptTranscript, lastLines, type TranscriptLine } from '#core/messages/transcript.ts';
import type { Reason } from './advice.ts';

/** Step at which something is refused. `connect`: the connection, or a command outside an email or sign-in. */
export type RefusalStage = Stage | 'connect';

/**
 * Email, recipient or sign-in that was refused, as its team sees it. `rcptTo`: the team's own recipients. `authenticatedAs`: who signed
 * in or, at the stage `auth`, tried to. `reply`: code and text, from HTTP at the stage `api`. `failure`: the failure rule that caused the
 * refusal. `transcript`: end of the SMTP dialogue before the reply, in the form that messages keep.
 */
export type Refusal = {
  id: Id;
  team: Id;
  at: Date;
  remoteAddress: string | null;
  helo: string | null;
  mailFrom: string | null;
  rcptTo: string[];
  authenticatedAs: Pick<SignedIn, 'kind' | 'name'> | null;
  stage: RefusalStage;
  reply: string;
  reason: Reason;
  failure?: Id | null;
  transcript?: string;
};

export type NewRefusal = Omit<Refusal, 'id'>;

/** Time in ms for which refusals are listed. */
export const refusalMs = 86_400_000;

export type RefusalStore = {
  /**
   * Writes refusals, each team's oldest first. While a team has more than `most`, removes the oldest refusal of the remote address that
   * has the most.
   */
  add(refusals: NewRefusal[], most: number): Promise<void>;
};

const { addressCharacters, replyCharacters, recipients, transcriptCharacters } = limits.refusals;

/** Truncates a refusal's texts, most of which its sender can choose. */
export function boundRefusal(refusal: NewRefusal): NewRefusal {
  const { helo, mailFrom, rcptTo, authenticatedAs, reply, transcript } = refusal;
  const short = (text: string) => firstCharacters(text, addressCharacters);
  return {
    ...refusal,
    helo: helo && short(helo),
    mailFrom: mailFrom && short(mailFrom),
    rcptTo: rcptTo.slice(0, recipients).map(short),
    authenticatedAs: authenticatedAs && { kind: authenticatedAs.kind, name: short(authenticatedAs.name) },
    reply: firstCharacters(reply, replyCharacters),
    ...(transcript && { transcript: lastLines(transcript, transcriptCharacters) }),
  };
}

/** Reads the SMTP dialogue that led to a refusal, including the reply, as far as the refusal's team may see it. */
export function dialogueOf({ team, rcptTo, transcript = '', reply }: Refusal): TranscriptLine[] {
  const lines = keptTranscript({ envelope: { rcptTo }, content: { transcript } }, team);
  const end = lines.at(-1);
  return end === undefined || !/^\d/.test(reply)
    ? lines
    : [...lines, { ...end, from: 'server', line: reply }];
}
