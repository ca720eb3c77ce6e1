import { limit, MiB, pace } from './limit.ts';

/** Signing in and hashing. Failed tries count; a success gives its place back. */
export const access = {
  failuresPerAddressAndEmail: limit(
    10,
    'a minute',
    'address (IPv6: /64) and e-mail',
    'failed sign-ins',
    '429',
  ),
  failuresPerAddress: limit(100, 'a minute', 'address (IPv6: its /64)', 'failed sign-ins', '429'),
  failuresPerEmail: limit(30, 'an hour', 'e-mail', 'failed sign-ins', '429'),
  failedSubmitters: limit(
    10,
    'a minute',
    'address (IPv6: its /64), and user name',
    'failed sign-ins by SMTP',
    '454 to passwords of addresses that failed',
  ),
  refusedSubmitters: pace(
    10_000,
    'items',
    'process',
    'addresses and user names that must wait',
    'others may try',
  ),
  knownPasswords: pace(
    10_000,
    'items',
    'process',
    'account passwords that were right lately',
    'they are hashed again',
  ),
  knownPasswordMs: pace(60_000, 'ms', 'account password', 'time that it is remembered', 'it is hashed again'),
  registrations: limit(60, 'a minute', 'address (IPv6: its /64)', 'registrations', '429'),
  providerSignIns: limit(
    100,
    'a minute',
    'address (IPv6: its /64)',
    'sign-ins by the identity provider begun',
    '429',
  ),
  hashes: pace(2, 'items', 'process', 'passwords being hashed, half for accounts', 'they wait in turn'),
  hashesWaiting: limit(
    100,
    'items',
    'address that signs in, with each team of SMTP; user name that many guess',
    'passwords to be hashed',
    '429, 454',
  ),
  signIns: limit(60, 'a minute', 'user', 'web sessions begun', '429'),
  providerMs: limit(5_000, 'ms', 'request to the identity provider', 'time to its whole answer', '503'),
  providerBytes: limit(1 * MiB, 'bytes', 'request to the identity provider', 'its answer', '503'),
  providerGroups: limit(
    1_000,
    'items',
    'sign-in',
    'groups that the identity provider names',
    'the rest is left out',
  ),
  credentialEndMs: pace(3_000, 'ms', 'credential', 'time until its end is seen everywhere', 'it is refused'),
};
