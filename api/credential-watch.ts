import type { Caller } from './context.ts';

/** Credential, and the team in which it is used. */
type Watch = Pick<Caller, 'credential' | 'team'>;
type Check = (watch: Watch) => Promise<boolean>;
type Watched = { watch: Watch; onEnd: Set<() => void> };

/**
 * Interval in ms between two checks of all watched credentials. The end of a credential is noticed within
 * `limits.access.credentialEndMs`.
 */
const everyMs = 2000;
/** Number of credentials checked together before other work gets its turn. */
const batch = 50;

/**
 * Checks the credentials of streams and waits. Any process can revoke a key or end a session or membership while a request admitted with
 * it continues.
 */
export class CredentialWatch {
  readonly #check: Check;
  readonly #refuse: (watch: Watch) => Promise<void>;
  readonly #watched = new Map<string, Watched>();
  readonly #coming = new Map<string, Promise<boolean>>();
  readonly #timer: NodeJS.Timeout;
  #looking = false;

  /** `refuse` throws the reason why a credential is invalid. */
  constructor(check: Check, refuse: (watch: Watch) => Promise<void>) {
    this.#check = check;
    this.#refuse = refuse;
    this.#timer = setInterval(() => void this.#lookAtAll(), everyMs);
    this.#timer.unref();
  }

  /**
   * Checks whether the credential is valid. The check starts after this call, so any mail read before the call had arrived before the
   * credential ended. Calls in one turn of the event loop share the check.
   */
  confirm(watch: Watch): Promise<boolean> {
    const key = keyOf(watch);
    const coming = this.#coming.get(key);
    if (coming !== undefined) return coming;
    const look = new Promise((resolve) => setImmediate(resolve)).then(() => {
      this.#coming.delete(key);
      return this.#check(watch);
    });
    this.#coming.set(key, look);
    return look;
  }

  /** Refuses a credential that is no longer valid. Throws Unauthenticated and what `authorize` throws. */
  async requireValid(watch: Watch): Promise<void> {
    if (!(await this.confirm(watch))) await this.#refuse(watch);
  }

  /** Calls `onEnd` when the credential has ended. Returns a function that stops watching it. */
  follow(watch: Watch, onEnd: () => void): () => void {
    const key = keyOf(watch);
    const watched = this.#watched.get(key) ?? { watch, onEnd: new Set() };
    this.#watched.set(key, watched);
    const own = () => onEnd();
    watched.onEnd.add(own);
    return () => {
      watched.onEnd.delete(own);
      if (watched.onEnd.size === 0 && this.#watched.get(key) === watched) this.#watched.delete(key);
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watched.clear();
  }

  async #lookAtAll(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const all = [...this.#watched.values()];
    for (let index = 0; index < all.length; index += batch) {
      await Promise.all(all.slice(index, index + batch).map((watched) => this.#look(watched)));
    }
    this.#looking = false;
  }

  async #look({ watch, onEnd }: Watched): Promise<void> {
    // If the store does not respond, the credential counts as valid.
    const holds = await this.confirm(watch).catch(() => true);
    if (!holds) for (const end of [...onEnd]) end();
  }
}

function keyOf({ credential, team }: Watch): string {
  if ('local' in credential) return 'local';
  return 'key' in credential ? `key ${credential.key}` : `${team} session ${credential.session}`;
}
