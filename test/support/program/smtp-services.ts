import type { TestContext } from 'node:test';
import { createLocalRateWindow } from '#adapters/local/rate-window.ts';
import { createPasswords } from '#adapters/passwords.ts';
import { defaultFlags } from '#core/accounts/account.ts';
import type { BodyWriter, DeliveryVerdict, PreparedMail, RecipientAnswer } from '#core/delivery/delivery.ts';
import { verdictOf } from '#core/failures/choose-failure.ts';
import { limits as allLimits } from '#core/limits.ts';
import { Delays } from '#gate/delays.ts';
import { MailRoom } from '#gate/mail-room.ts';
import { readConfig } from '#setup/config.ts';
import { createSmtp } from '#smtp/server.ts';
import type { Limits, SmtpServices } from '#smtp/shared.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { recordWith } from '#test/once/conformance/mail.ts';

const account = {
  id: 1,
  address: 'a@known.test',
  ...defaultFlags,
  catchAll: true,
  storageLimit: 1e9,
  usedBytes: 0,
  passwordHash: null,
};
const known: RecipientAnswer = {
  domain: { id: 1, owner: 1, active: true, verified: true, assumedClientIp: null, failures: 0 },
  accounts: [account],
};

/** Settings of a listener on a port that the system chooses. */
export const configOf = (settings: Record<string, string> = {}) =>
  readConfig({ SANDPOST_SMTP_PORT: '0', ...settings });

/** Body that was written to the store in pieces, and its state. */
type WrittenBody = { pieces: Buffer[]; state: 'open' | 'finished' | 'discarded' };

/**
 * In-memory services for one catch-all account on `known.test`, for tests of limits or faults that the real program cannot be
 * made to reach. Each part can be replaced.
 */
export function memoryServices(replaced: Partial<SmtpServices> = {}) {
  const mails: PreparedMail[] = [];
  const bodies: WrittenBody[] = [];
  const metrics = createMetrics();
  const services: SmtpServices = {
    config: configOf(),
    log: createLog('silent'),
    metrics,
    clock: () => new Date(),
    deliveries: {
      lookUp: async (domain) => (domain === 'known.test' ? known : null),
      writeBody: () => bodyWriter(bodies),
      commit: async (committed): Promise<DeliveryVerdict[]> =>
        committed.map((mail) => ({ ids: [mails.push(mail)], commits: [] })),
    },
    examiner: {
      examine: async () => recordWith(),
      close: async () => {},
    },
    composeReport: async () => new Uint8Array(),
    bus: { announce: () => {}, listen: () => () => {} },
    requireVerified: false,
    overflow: {
      dropsOldest: null,
      turns: null,
      inTurn: (work) => work(),
      makeRoom: async () => false,
      accountRefused: () => {},
      diskRefused: () => {},
    },
    captureAddress: null,
    refusals: { note: () => {} },
    failureSimulator: { simulate: async () => verdictOf([], false) },
    delays: new Delays({ of: async (team) => team }, metrics.limitReached),
    mailRoom: new MailRoom({ of: async (team) => team }),
    everybody: null,
    accounts: { findCapture: async () => null },
    apiKeys: { findByHash: async () => null, touch: async () => {} },
    accountPasswords: createPasswords().accounts,
    attempts: createLocalRateWindow(),
    maxMessageBytes: 26_214_400,
    receivedBy: 'mx.test',
    ...replaced,
  };
  return { services, mails, bodies };
}

/** Listens until the test ends, and then waits briefly for clients. `limits` replace some. `tlsPort` is 0 without implicit TLS. */
export async function listen(t: TestContext, services: SmtpServices, limits: Partial<Limits> = {}) {
  const brief = { drainMs: 2000, drainIdleMs: 50 };
  const { smtp, smtps } = createSmtp(services, { ...allLimits.smtp, ...brief, ...limits });
  const port = await smtp.listen();
  const tlsPort = (await smtps?.listen()) ?? 0;
  t.after(() => Promise.all([smtp.close(), smtps?.close()]));
  return { smtp, port, tlsPort };
}

function bodyWriter(bodies: WrittenBody[]): BodyWriter {
  const body: WrittenBody = { pieces: [], state: 'open' };
  bodies.push(body);
  return {
    write: async (piece) => {
      body.pieces.push(Buffer.from(piece));
    },
    finish: async () => {
      body.state = 'finished';
      const bytes = Buffer.concat(body.pieces);
      return {
        bodyId: bodies.length,
        raw: {
          sizeBytes: bytes.length,
          async *open() {
            yield bytes;
          },
        },
      };
    },
    discard: async () => {
      body.state = 'discarded';
    },
  };
}
