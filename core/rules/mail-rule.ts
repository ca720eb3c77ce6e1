import type { Id } from '#core/ids.ts';

/** Fields of a rule that a member sets. `mailbox` is a path, `expiresIn` are seconds; null leaves both as they are. */
export type RuleWords = {
  name: string;
  q: string;
  active: boolean;
  tags: string[];
  mailbox: string | null;
  isFlagged: boolean;
  isRead: boolean;
  expiresIn: number | null;
  /** Mark of a rule whose mail is accepted and not stored. */
  discard: boolean;
};

/**
 * Rule of a team for new mail that its `q` matches. `position` counts from 1 within the team. `matched` counts the messages that it
 * was applied to, and `discarded` those that it discarded.
 */
export type MailRule = RuleWords & { id: Id; position: number; matched: number; discarded: number };

/** Rules of a team in their order. `version` is another one after each change of them; 0 stands for none ever. */
export type TeamRules = { version: number; rules: MailRule[] };

/** Numbers to be added to the counts of a rule. */
export type RuleCounts = Pick<MailRule, 'matched' | 'discarded'>;
