import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Media types in the OCI image specification 1.1. */
export const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
};

export type Descriptor = {
  mediaType: string;
  digest: string;
  size: number;
  artifactType?: string;
  platform?: { architecture: string; os: string };
  annotations?: Record<string, string>;
};

export type Manifest = Partial<Record<'manifests' | 'layers', Descriptor[]>> &
  Partial<Record<'config' | 'subject', Descriptor>> &
  Pick<Descriptor, 'mediaType' | 'artifactType' | 'annotations'>;

/** OCI image layout (https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md) that is being written. */
export class Layout {
  readonly #folder: string;
  /** Top-level manifests. A manifest that has no tag is identified by its digest. */
  readonly entries: { entry: Descriptor; tag: string | undefined }[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(path.join(folder, 'blobs/sha256'), { recursive: true });
  }

  fileOf = (digest: string): string => path.join(this.#folder, 'blobs', digest.replace(':', '/'));

  async add(mediaType: string, content: Buffer | string): Promise<Descriptor> {
    const bytes = Buffer.from(content);
    const digest = `sha256:${hash('sha256', bytes, 'hex')}`;
    await writeFile(this.fileOf(digest), bytes);
    return { mediaType, digest, size: bytes.length };
  }

  /** Adds the manifest of an image, or of an artifact with its config's type. */
  addManifest = (config: Descriptor, layers: Descriptor[], more: Partial<Manifest> = {}) =>
    this.addJson({ mediaType: types.manifest, config, layers, ...more });

  addJson(value: Manifest): Promise<Descriptor> {
    return this.add(value.mediaType, JSON.stringify({ schemaVersion: 2, ...value }));
  }

  async end(): Promise<void> {
    const manifests = this.entries.map(({ entry, tag }) =>
      tag === undefined ? entry : { ...entry, annotations: { 'org.opencontainers.image.ref.name': tag } },
    );
    const index = JSON.stringify({ schemaVersion: 2, mediaType: types.index, manifests });
    await writeFile(path.join(this.#folder, 'index.json'), index);
    await writeFile(path.join(this.#folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  }
}
