import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SmtpTls } from '#setup/config.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** Milliseconds between two reads of the files. */
const rereadMs = 1000;

/** Certificate of the listeners. It is replaced when its files change. */
export type Certificate = {
  /** Certificate at startup. */
  readonly current: KeyPair;
  /** Calls `changed` for each new certificate, until `close` is called. */
  watch(changed: (pair: KeyPair) => void): void;
  close(): void;
};

/** Opens the certificate that the settings name. Throws an error of one sentence if the certificate's files cannot be used. */
export function openCertificate(
  tls: SmtpTls,
  {
    receivedBy: host,
    log,
    metrics,
  }: { receivedBy: string; log: Log; metrics: Pick<Metrics, 'certificateExpires'> },
): Certificate {
  if (tls === 'self-signed') {
    return { current: createSelfSigned(host), watch: () => {}, close: () => {} };
  }
  const current = usable(readPair(tls));
  tellEnd(current);
  let read = current;
  let lastFault = '';
  let timer: NodeJS.Timeout | undefined;
  function tellEnd({ cert }: KeyPair): void {
    const { validTo } = new X509Certificate(cert);
    metrics.certificateExpires.set(Date.parse(validTo) / 1000);
    if (Date.parse(validTo) < Date.now()) log.warn({ validTo }, 'the SMTP certificate has expired');
  }
  /**
   * Reads the files again, and uses them if they have changed. If they cannot be used, logs the error once and keeps the old certificate.
   */
  const reread = (changed: (pair: KeyPair) => void): void => {
    try {
      const next = readPair(tls);
      if (next.cert === read.cert && next.key === read.key) return;
      read = next;
      usable(next);
      tellEnd(next);
      lastFault = '';
      log.info({ event: 'certificate.changed' }, 'the SMTP certificate was reloaded');
      changed(next);
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastFault)
        log.error({ err: error }, 'could not read the SMTP certificate; keeping the old one');
      lastFault = message;
    }
  };
  return {
    current,
    watch(changed) {
      timer = setInterval(() => reread(changed), rereadMs).unref();
    },
    close: () => clearInterval(timer),
  };
}

function readPair({ certFile, keyFile }: Exclude<SmtpTls, 'self-signed'>): KeyPair {
  return {
    cert: readText('SANDPOST_SMTP_TLS_CERT_FILE', certFile),
    key: readText('SANDPOST_SMTP_TLS_KEY_FILE', keyFile),
  };
}

function readText(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${setting}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Returns a key and a certificate that belong together. Throws if they do not, for example while the two files are being replaced. */
function usable(pair: KeyPair): KeyPair {
  try {
    createSecureContext(pair);
    // OpenSSL silently accepts an empty key, but then every handshake fails.
    if (new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) return pair;
    throw new Error('the key belongs to another certificate');
  } catch (error) {
    throw new Error(
      `SANDPOST_SMTP_TLS_CERT_FILE and SANDPOST_SMTP_TLS_KEY_FILE do not contain a certificate and its key: ${(error as Error).message}`,
    );
  }
}

const yearMs = 365 * 86_400_000;

export type KeyPair = { key: string; cert: string };

/**
 * Creates a self-signed certificate (P-256) for `host`, localhost and 127.0.0.1 that is valid for a year. RFC 5280 section 4.1 defines
 * its fields, in X.690 DER.
 */
export function createSelfSigned(host: string, now = new Date()): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
  const commonName = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(host)))));
  const validity = sequence(generalizedTime(now.getTime() - 60_000), generalizedTime(now.getTime() + yearMs));
  const names = [...new Set([host, 'localhost', '127.0.0.1'])].map(generalName);
  const subjectAltName = sequence(objectId('551d11'), der(0x04, sequence(...names)));
  const version3 = der(0xa0, der(0x02, Buffer.of(2)));
  const certificate = sequence(
    version3,
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    commonName,
    validity,
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName)),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', certificate, privateKey));
  const base64 = sequence(certificate, ecdsaWithSha256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** Encodes a value with its tag and length. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const octets = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...octets), content]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const generalizedTime = (ms: number) =>
  der(0x18, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')));

/** Encodes the host's name: an IPv4 address as octets, any other name as a DNS name. */
function generalName(host: string): Buffer {
  return isIP(host) === 4
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));
}
