import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type DKIMSignOptions, dkimSign } from 'mailauth';
import type { CheckBudget } from '#adapters/mail-auth/budget.ts';
import { type Authenticated, createAuthenticator } from '#adapters/mail-auth/mail-auth.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { type DnsServer, startDnsServer, type ZoneEntry } from '#test/support/clients/dns-server.ts';

export const receivedAt = new Date('2026-11-21T10:00:00Z');

/** Default arrival of test mail: from an address that app.test's SPF record permits. */
export const arrival: Arrival = {
  mailFrom: 'qa@app.test',
  helo: 'out.app.test',
  remoteAddress: '192.0.2.1',
  receivedBy: 'mx.here.test',
  receivedAt,
  smtpUtf8: false,
  submitted: false,
};

export const plainMail = [
  'From: QA <qa@app.test>',
  'To: inbox@here.test',
  'Subject: Hello',
  'Date: Sat, 21 Nov 2026 10:00:00 +0000',
  'Message-ID: <1@app.test>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain',
  '',
  'A body.',
  '',
].join('\r\n');

/** Keys generated for the run, including small ones and an Ed25519 key. */
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
export const keys = {
  rsa512: rsa(512),
  rsa768: rsa(768),
  rsa1024: rsa(1024),
  rsa2048: rsa(2048),
  ed25519: generateKeyPairSync('ed25519'),
};
export type KeyName = keyof typeof keys;

export function pem({ privateKey }: { privateKey: KeyObject }): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Returns a key's record: RSA as SubjectPublicKeyInfo, Ed25519 bare (RFC 8463 section 4.2). */
export function keyRecord(name: KeyName): string {
  const der = keys[name].publicKey.export({ type: 'spki', format: 'der' });
  return name === 'ed25519'
    ? `v=DKIM1; k=ed25519; p=${der.subarray(-32).toString('base64')}`
    : `v=DKIM1; k=rsa; p=${der.toString('base64')}`;
}

/** Returns zones that publish each key as `<key name>._domainkey` of app.test, mail.app.test and other.test. */
export function zones(): Record<string, ZoneEntry> {
  const published = (Object.keys(keys) as KeyName[]).flatMap((name) =>
    ['app.test', 'mail.app.test', 'other.test'].map((domain): [string, ZoneEntry] => [
      `${name}._domainkey.${domain}`,
      { TXT: [keyRecord(name)] },
    ]),
  );
  return {
    'app.test': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
    '_dmarc.app.test': { TXT: ['v=DMARC1; p=reject'] },
    ...Object.fromEntries(published),
  };
}

/** Adds a DKIM signature on top of the email, by default from rsa1024 and app.test. */
export async function sign(
  mail: string,
  { key = 'rsa1024', ...options }: Partial<DKIMSignOptions> & { key?: KeyName } = {},
): Promise<string> {
  const signature = { signingDomain: 'app.test', selector: key, privateKey: pem(keys[key]), ...options };
  const { signatures, errors } = await dkimSign(mail, {
    ...signature,
    signTime: receivedAt,
    ...options,
    signatureData: [signature],
  });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return `${signatures.trimEnd()}\r\n${mail}`;
}

export type Lab = AsyncDisposable & {
  dns: DnsServer;
  check(mail: string, change?: Partial<Arrival>, budget?: CheckBudget): Promise<Authenticated>;
};

/** Opens an authenticator that queries a separate DNS server. */
export async function openLab(entries: Record<string, ZoneEntry> = zones()): Promise<Lab> {
  const dns = await startDnsServer(entries);
  const authenticator = createAuthenticator({ dnsServers: [dns.address] });
  return {
    dns,
    check: (mail, change, budget) =>
      authenticator.authenticate(Buffer.from(mail), { ...arrival, ...change }, budget),
    [Symbol.asyncDispose]: () => dns.close(),
  };
}
