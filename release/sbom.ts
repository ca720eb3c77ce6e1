import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type About, source } from './about.ts';

/** Package in an image. `purl` is its package URL (https://github.com/package-url/purl-spec). */
export type Component = { name: string; version: string; purl: string; license?: string; sha512?: string };

/** Packages that Vite includes in the page. */
export const inPage = ['@preact/signals', '@preact/signals-core', 'dompurify', 'preact'];

/** Reads a package from its control file. */
export function debianComponent(control: string): Component {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? '';
  const [name, version, arch] = [field('Package'), field('Version'), field('Architecture')];
  const id = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return { name, version, purl: `pkg:deb/debian/${id}?arch=${arch}&distro=debian-12` };
}

type Locked = { version: string; license?: string; integrity?: string };

/** Reads packages from an npm list: a checkout's lock file, or the list of installed packages. */
export async function npmComponents(lock: string, isIn = (_name: string) => true): Promise<Component[]> {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(await readFile(lock, 'utf8'));
  return Object.entries(packages).flatMap(([place, { version, license, integrity }]): Component[] => {
    const name = place.split('node_modules/').at(-1) ?? '';
    if (name === '' || !isIn(name)) return [];
    const sha512 = Buffer.from(integrity?.replace('sha512-', '') ?? '', 'base64').toString('hex');
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return [{ name, version, purl, ...(license ? { license } : {}), ...(sha512 ? { sha512 } : {}) }];
  });
}

/** Returns two bills of materials for an image: SPDX 2.3 and CycloneDX 1.6. Identical images have identical bills. */
export function billsOf(architecture: string, listed: Component[], about: About) {
  const purl = `pkg:generic/sandpost@${about.version}`;
  const program = { name: 'sandpost', version: about.version, purl, license: 'Apache-2.0' };
  const components = [program, ...new Map(listed.map((one) => [one.purl, one])).values()];
  const name = `sandpost-${about.version}-${architecture}`;
  const id = hash('sha256', JSON.stringify([name, about, components]), 'hex');
  const bills = {
    spdx: { type: 'application/spdx+json', bill: spdx(name, id, components, about) },
    cdx: { type: 'application/vnd.cyclonedx+json', bill: cycloneDx(id, components, about) },
  };
  return Object.entries(bills).map(([format, { type, bill }]) => {
    return { type, file: `${name}.${format}.json`, text: `${JSON.stringify(bill, null, 2)}\n` };
  });
}

function spdx(name: string, id: string, components: Component[], { version, created }: About) {
  const kind = { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl' };
  const referenceOf = (index: number) => `SPDXRef-Package-${index}`;
  const packages = components.map(({ purl, license, sha512, ...component }, index) => ({
    SPDXID: referenceOf(index),
    name: component.name,
    versionInfo: component.version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    // Tools do not recognize license IDs that contain a plus sign.
    licenseDeclared: license?.includes('+') ? 'NOASSERTION' : (license ?? 'NOASSERTION'),
    ...(sha512 ? { checksums: [{ algorithm: 'SHA512', checksumValue: sha512 }] } : {}),
    externalRefs: [{ ...kind, referenceLocator: purl }],
  }));
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `${source}/spdx/${name}-${id}`,
    creationInfo: { created, creators: [`Tool: sandpost-release-${version}`] },
    packages,
    relationships: packages.map(({ SPDXID }, index) => ({
      spdxElementId: index === 0 ? 'SPDXRef-DOCUMENT' : referenceOf(0),
      relationshipType: index === 0 ? 'DESCRIBES' : 'CONTAINS',
      relatedSpdxElement: SPDXID,
    })),
  };
}

function cycloneDx(id: string, components: Component[], { created }: About) {
  const [component, ...others] = components.map(({ license, sha512, ...one }, index) => ({
    type: index === 0 ? 'application' : 'library',
    'bom-ref': one.purl,
    ...one,
    ...(license ? { licenses: [{ expression: license }] } : {}),
    ...(sha512 ? { hashes: [{ alg: 'SHA-512', content: sha512 }] } : {}),
  }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // UUID version 8 (RFC 9562 section 5.8), derived from a checksum.
    serialNumber: id.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, 'urn:uuid:$1-$2-8$3-8$4-$5'),
    version: 1,
    metadata: { timestamp: created, component },
    components: others,
  };
}
