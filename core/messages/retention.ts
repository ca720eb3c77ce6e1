import { invalid } from '#core/errors.ts';
import type { MessageSummary, Visibility } from './message.ts';

const dayMs = 86_400_000;

/**
 * Returns the bounds of visibility at `now`. A message is visible if it was received after the retention horizon and its expiration is in
 * the future, absent or ignored (`autoDelete` false).
 */
export function visibilityAt(now: Date, retentionDays: number): Visibility {
  return { now, receivedAfter: new Date(now.getTime() - retentionDays * dayMs) };
}

export function isVisible(
  message: Pick<MessageSummary, 'receivedAt' | 'expiresAt' | 'autoDelete'>,
  { now, receivedAfter }: Visibility,
): boolean {
  const expired = message.autoDelete && message.expiresAt !== null && message.expiresAt <= now;
  return message.receivedAt > receivedAfter && !expired;
}

/** Checks whether an expiration is in the future and within the message's retention window. Throws Invalid. */
export function checkExpiry(expiresAt: Date | null, receivedAt: Date, visibility: Visibility): void {
  if (expiresAt === null) return;
  if (expiresAt <= visibility.now) throw invalid('expiresAt', 'must be in the future');
  const windowMs = visibility.now.getTime() - visibility.receivedAfter.getTime();
  const end = new Date(receivedAt.getTime() + windowMs);
  if (expiresAt > end)
    throw invalid(
      'expiresAt',
      `must not be later than ${end.toISOString()}, when retention removes the message`,
    );
}
