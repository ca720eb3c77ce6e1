import type { Id } from '#core/ids.ts';

/**
 * Fields of a rule that a member sets. `mailbox` is a path, and `expiresIn` is in seconds; null leaves the mailbox or expiration
 * unchanged.
 */
export type RuleWords = {
  name: string;
  q: string;
  active: boolean;
  tags: string[];
  mailbox: string | null;
  isFlagged: boolean;
  isRead: boolean;
  expiresIn: number | null;
  /** Marks a rule whose mail is accepted but not stored. */
  discard: boolean;
};

/**
 * Rule of a team for new mail that matches `q`. `position` counts from 1 within the team. `matched` counts the messages that the rule was
 * applied to, and `discarded` those that it discarded.
 */
export type MailRule = RuleWords & { id: Id; position: number; matched: number; discarded: number };

/** Rules of a team in order. `version` changes with each change; 0 means that the team never had any. */
export type TeamRules = { version: number; rules: MailRule[] };

/** Numbers to add to the counts of a rule. */
export type RuleCounts = Pick<MailRule, 'matched' | 'discarded'>;
