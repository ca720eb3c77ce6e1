import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Descriptor, type Layout, types } from './layout.ts';

/** Reads a P-256 private key in PEM. P-256 is the curve of cosign's keys. */
export function readKey(file: string): KeyObject {
  const passphrase = process.env.SANDPOST_RELEASE_PASSPHRASE;
  const key = createPrivateKey({ key: readFileSync(file), ...(passphrase ? { passphrase } : {}) });
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new Error(`${file} is not a P-256 key: run openssl ecparam -name prime256v1 -genkey -noout`);
}

/** Signs with ECDSA and SHA-256, as `cosign sign-blob` and `openssl dgst -sha256 -sign` do. Returns base64. */
export const signatureOf = (text: string, key: KeyObject): string =>
  sign('sha256', Buffer.from(text), key).toString('base64');

/**
 * Adds a manifest's signature in cosign's format, under the tag where cosign looks for it
 * (https://github.com/sigstore/cosign/blob/main/specs/SIGNATURE_SPEC.md).
 */
export async function addSignature(layout: Layout, { digest }: Descriptor, name: string, key: KeyObject) {
  const identity = { 'docker-reference': name };
  const image = { 'docker-manifest-digest': digest };
  const critical = { identity, image, type: 'cosign container image signature' };
  const payload = JSON.stringify({ critical, optional: null });
  const blob = await layout.add('application/vnd.dev.cosign.simplesigning.v1+json', payload);
  const annotations = { 'dev.cosignproject.cosign/signature': signatureOf(payload, key) };
  const rootfs = { type: 'layers', diff_ids: [blob.digest] };
  const config = JSON.stringify({ architecture: '', os: '', config: {}, rootfs });
  const entry = await layout.addManifest(await layout.add(types.config, config), [{ ...blob, annotations }]);
  layout.entries.push({ entry, tag: `${digest.replace(':', '-')}.sig` });
}
