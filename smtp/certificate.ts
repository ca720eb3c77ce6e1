import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { SmtpTls } from '#setup/config.ts';
import type { Log } from '#telemetry/log.ts';
import { createSelfSigned, type KeyPair } from './self-signed.ts';

/** Milliseconds between two readings of the files. */
const rereadMs = 1000;

/** Certificate of the listeners, which follows its files. */
export type Certificate = {
  /** Certificate at the start. */
  readonly current: KeyPair;
  /** Calls `changed` for each new certificate, until `close`. */
  watch(changed: (pair: KeyPair) => void): void;
  close(): void;
};

/** Opens the certificate that the settings name. Throws an error of one sentence where its files cannot be used. */
export function openCertificate(tls: SmtpTls, host: string, log: Log): Certificate {
  if (tls === 'self-signed') {
    return { current: createSelfSigned(host), watch: () => {}, close: () => {} };
  }
  const current = usable(readPair(tls));
  warnIfExpired(current, log);
  let read = current;
  let lastFault = '';
  let timer: NodeJS.Timeout | undefined;
  /** Reads the files again, and takes them if they have changed. Logs an error once, and keeps the old certificate. */
  const reread = (changed: (pair: KeyPair) => void): void => {
    try {
      const next = readPair(tls);
      if (next.cert === read.cert && next.key === read.key) return;
      read = next;
      usable(next);
      warnIfExpired(next, log);
      lastFault = '';
      log.info({ event: 'certificate.changed' }, 'the SMTP certificate was read again');
      changed(next);
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastFault)
        log.error({ err: error }, 'the SMTP certificate cannot be read; the old one is kept');
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

/** Returns a pair whose key fits its certificate. Throws for any other, such as one of two files that change in turn. */
function usable(pair: KeyPair): KeyPair {
  try {
    createSecureContext(pair);
    // OpenSSL takes an empty key without a word, and every handshake fails then.
    if (new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) return pair;
    throw new Error('the key is of another certificate');
  } catch (error) {
    throw new Error(
      `SANDPOST_SMTP_TLS_CERT_FILE and SANDPOST_SMTP_TLS_KEY_FILE are no certificate with its key: ${(error as Error).message}`,
    );
  }
}

function warnIfExpired({ cert }: KeyPair, log: Log): void {
  const { validTo } = new X509Certificate(cert);
  if (Date.parse(validTo) < Date.now()) log.warn({ validTo }, 'the SMTP certificate has expired');
}
