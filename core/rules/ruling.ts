import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { distinctTags } from '#core/messages/tags.ts';
import type { MailRule } from './mail-rule.ts';

/** Combined actions of a team's rules on a message. `rules` are the IDs of the rules that were applied. */
export type Ruling = {
  rules: Id[];
  tags: string[];
  mailbox: string | null;
  isFlagged: boolean;
  isRead: boolean;
  expiresAt: Date | null;
  /** Rule that discards the message, or null. It is always the last of `rules`. */
  discardedBy: Id | null;
};

/**
 * Applies the rules that match a message, in order, up to a rule that discards it. Tags accumulate. The mailbox and the expiration each
 * come from the first rule that names one.
 */
export function rulingOf(rules: MailRule[], receivedAt: Date): Ruling {
  const ruling: Ruling = {
    ...{ rules: [], tags: [], mailbox: null, isFlagged: false, isRead: false, expiresAt: null },
    discardedBy: null,
  };
  for (const rule of rules) {
    ruling.rules.push(rule.id);
    if (rule.discard) return { ...ruling, discardedBy: rule.id };
    ruling.tags = distinctTags([...ruling.tags, ...rule.tags]).slice(0, limits.messages.tags);
    ruling.mailbox ??= rule.mailbox;
    ruling.isFlagged ||= rule.isFlagged;
    ruling.isRead ||= rule.isRead;
    if (rule.expiresIn !== null) ruling.expiresAt ??= new Date(receivedAt.getTime() + rule.expiresIn * 1000);
  }
  return ruling;
}
