import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

const yearMs = 365 * 86_400_000;

/** Key and certificate in PEM. */
export type KeyPair = { key: string; cert: string };

/**
 * Makes a certificate that is signed by its own key (P-256), for a year, for `host`, localhost and 127.0.0.1. RFC 5280
 * section 4.1 gives its fields, in the DER of X.690.
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

/** Encodes a value with its tag and its length. */
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

/** Encodes a name of the host: an IPv4 address by its octets, any other as a DNS name. */
function generalName(host: string): Buffer {
  return isIP(host) === 4
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host));
}
