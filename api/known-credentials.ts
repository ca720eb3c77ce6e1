import { newDigest } from '#core/access/secrets.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import type { Credential, Ctx, Handler } from './context.ts';
import { credentialOf } from './middleware/identify.ts';

/** Largest number of credentials that are remembered. The one that was valid first is dropped first. */
const most = 10_000;

/**
 * Users by keyed digests of credentials that were valid lately. They only decide whose turn it is, so that a revoked credential
 * may stay for a while.
 */
export class KnownCredentials {
  readonly #services: Pick<Services, 'config'>;
  readonly #users = new Map<string, Id>();
  readonly #digest = newDigest();

  constructor(services: Pick<Services, 'config'>) {
    this.#services = services;
  }

  /** Returns the likely user of a request, or null: unknown credentials share their turns. */
  userOf(ctx: Ctx): Id | null {
    const credential = credentialOf(ctx, this.#services);
    return (credential && this.#users.get(this.#digest(textOf(credential)))) ?? null;
  }

  /** Remembers the credential of each request whose caller was identified. */
  readonly remember: Handler = (ctx, next) => {
    const { caller } = ctx.state;
    if (caller !== null) this.#add(this.#digest(textOf(caller.credential)), caller.userId);
    return next();
  };

  #add(credential: string, user: Id): void {
    this.#users.set(credential, user);
    for (const oldest of this.#users.keys()) {
      if (this.#users.size <= most) return;
      this.#users.delete(oldest);
    }
  }
}

function textOf(credential: Credential): string {
  if ('local' in credential) return '';
  return 'key' in credential ? credential.key : credential.session;
}
