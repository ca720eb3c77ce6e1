import { onlyTeam } from '#core/delivery/accept-recipient.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { NewRefusal } from '#core/refusals/refusal.ts';
import { replies } from './replies.ts';
import type { SmtpServices } from './shared.ts';

type Untold = Omit<NewRefusal, 'team'>;
/**
 * Client address. `team`: the team that the address last sent to or signed in for. `waiting`: earlier refused connections, oldest first.
 * `noted`: the start of a minute, and the number of refused connections recorded since then.
 */
type Peer = { team: Id | null; waiting: Untold[]; noted: { since: number; count: number } };

const unknown: Peer = { team: null, waiting: [], noted: { since: Number.NEGATIVE_INFINITY, count: 0 } };

/** Settings for the limits at which connections are refused. */
const settings: Partial<Record<LimitName, string>> = {
  'smtp.connections': 'SANDPOST_SMTP_MAX_CONNECTIONS',
  'smtp.connectionsPerAddress': 'SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS',
};

const { peers: mostPeers, connectionsOfPeer } = limits.refusals;
/** Time in ms for which a refused connection waits for its team to become known, and minimum time between two log lines. */
const minuteMs = 60_000;

/**
 * Client addresses and their refused connections. A refused connection has not sent anything, so it is recorded for the team that its
 * address last sent to or signed in for, or does so up to a minute later, or else for the installation's only team. The record contains
 * only the address and the time, so it reveals nothing about others' mail. Few records are kept per address and minute, because a flood
 * of connections would otherwise push out all of the team's other refusals.
 */
export class Peers {
  readonly #services: SmtpServices;
  readonly #known = new Map<string, Peer>();
  #logged = { at: Number.NEGATIVE_INFINITY, more: 0 };

  constructor(services: SmtpServices) {
    this.#services = services;
  }

  /** Records an address's team, and the address's waiting connections. */
  concern(address: string, team: Id): void {
    const { refusals, clock } = this.#services;
    const { waiting, noted } = this.#known.get(address) ?? unknown;
    this.#keep(address, { team, waiting: [], noted });
    const since = clock().getTime() - minuteMs;
    for (const one of waiting) if (one.at.getTime() >= since) refusals.note({ ...one, team });
  }

  async refused(remoteAddress: string, limit: LimitName): Promise<void> {
    const { refusals, clock, log } = this.#services;
    this.#log(remoteAddress, limit);
    const { code, text, reason = 'try-again' } = replies.tooManyConnections;
    const one: Untold = {
      ...{ at: clock(), remoteAddress, helo: null, mailFrom: null, rcptTo: [], authenticatedAs: null },
      ...{ stage: 'connect', reply: `${code} ${text}`, reason },
    };
    const { team, waiting, noted: before } = this.#known.get(remoteAddress) ?? unknown;
    const now = one.at.getTime();
    const isNewMinute = now - before.since >= minuteMs;
    const noted = { since: isNewMinute ? now : before.since, count: isNewMinute ? 1 : before.count + 1 };
    if (noted.count > connectionsOfPeer) return;
    this.#keep(remoteAddress, { team, waiting, noted });
    try {
      const concerned = team ?? (await onlyTeam(this.#services));
      if (concerned !== null) refusals.note({ ...one, team: concerned });
      else this.#keep(remoteAddress, { team, waiting: [...waiting, one].slice(-connectionsOfPeer), noted });
    } catch (err) {
      log.debug({ err }, "could not look up a refused connection's team");
    }
  }

  #keep(address: string, peer: Peer): void {
    this.#known.delete(address);
    this.#known.set(address, peer);
    const [oldest] = this.#known.size > mostPeers ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** Logs the first refused connection, and then at most one line per minute with the number of connections since. */
  #log(remoteAddress: string, limit: LimitName): void {
    const now = performance.now();
    this.#logged.more += 1;
    if (now - this.#logged.at < minuteMs) return;
    const { more: connections } = this.#logged;
    this.#logged = { at: now, more: 0 };
    this.#services.log.warn(
      { event: 'connections.refused', connections, remoteAddress, setting: settings[limit] },
      'refused connections because too many are open',
    );
  }
}
