import { RefusedMail } from '#core/delivery/compose.ts';
import { StoreFull } from '#core/errors.ts';
import { FailedOnPurpose } from '#core/failures/choose-failure.ts';
import type { Reason } from '#core/refusals/advice.ts';
import type { Services } from '#setup/services.ts';
import type { Ctx } from './context.ts';

/**
 * Records a request or an email that a provider API refuses, for the key's team. `status` and `detail` are the response; `status` is null
 * if there is no response. Records nothing if the request's team is unknown.
 */
export function noteRefusedRequest(
  { refusals, clock }: Pick<Services, 'refusals' | 'clock'>,
  ctx: Ctx,
  { status, detail }: { status: number | null; detail: string },
  refused: unknown,
): void {
  const { caller } = ctx.state;
  if (caller === null || caller === undefined) return;
  const mail = refused instanceof RefusedMail || refused instanceof FailedOnPurpose ? refused.mail : null;
  refusals.note({
    team: caller.team,
    at: clock(),
    remoteAddress: ctx.ip,
    helo: null,
    mailFrom: mail?.mailFrom ?? null,
    rcptTo: mail?.rcptTo ?? [],
    authenticatedAs: caller.keyName === null ? null : { kind: 'api_key', name: caller.keyName },
    stage: 'api',
    reply: status === null ? detail : `${status} ${detail}`,
    reason: mail?.reason ?? reasonOf(status, refused),
    failure: refused instanceof FailedOnPurpose ? refused.mail.failure : null,
  });
}

function reasonOf(status: number | null, refused: unknown): Reason {
  if (refused instanceof StoreFull) return 'store-full';
  if (status === 403) return 'may-not-send';
  if (status === 413) return 'too-large';
  if (status === 429) return 'too-many-requests';
  return status === null || status >= 500 ? 'try-again' : 'invalid-request';
}
