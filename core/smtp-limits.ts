import { KiB, MiB } from './units.ts';

export const smtpLimits = {
  connections: 1_000,
  connectionsPerAddress: 50,
  commandLineBytes: 2 * KiB,
  authLineBytes: 12 * KiB,
  recipients: 100,
  refusedRecipients: 20,
  refusedCommands: 20,
  loggedMails: 20,
  dsnCharacters: 8 * KiB,
  hops: 100,
  turnMs: 5,
  turnCommands: 100,
  handshakeMs: 15_000,
  idleMs: 300_000,
  paceMs: 60_000,
  paceBytes: 60 * KiB,
  heldBytes: 1 * MiB,
  heldBytesInAll: 64 * MiB,
  drainMs: 20_000,
  drainIdleMs: 3_000,
};
