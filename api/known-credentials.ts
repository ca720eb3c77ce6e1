import type { Ctx, Handler } from './context.ts';

/** Largest number of credentials that are remembered. The one that was valid first is dropped first. */
const most = 10_000;

/**
 * Credentials that were valid lately, by what a request carries. They only decide whose turn it is, so that a revoked one
 * may stay for a while.
 */
export class KnownCredentials {
  readonly #known = new Set<string>();

  /** Gives the credential of a request if it was valid lately, else an empty text: unknown ones share their turns. */
  of(ctx: Pick<Ctx, 'get'>): string {
    const carried = carriedBy(ctx);
    return this.#known.has(carried) ? carried : '';
  }

  /** Remembers the credential of each request whose caller was identified. */
  readonly remember: Handler = (ctx, next) => {
    if (ctx.state.caller !== null) this.#add(carriedBy(ctx));
    return next();
  };

  #add(carried: string): void {
    if (this.#known.has(carried)) return;
    this.#known.add(carried);
    for (const oldest of this.#known) {
      if (this.#known.size <= most) return;
      this.#known.delete(oldest);
    }
  }
}

const carriedBy = (ctx: Pick<Ctx, 'get'>): string => ctx.get('x-api-key') || ctx.get('cookie');
