import { defaultFlags } from '#core/accounts/account.ts';
import { nameOfDefinition } from '#operator/group.ts';
import { until } from '#test/support/runner/until.ts';
import type { Json, Kubectl } from './kubectl.ts';

/** Optional fields of each kind, by its plural. */
export const optionalFields: Record<string, string[]> = {
  domains: ['active', 'assumedClientIP', 'deletionPolicy', 'mxVerified'],
  accounts: [...Object.keys(defaultFlags), 'deletionPolicy', 'storageLimit'],
  apikeys: ['expiresAt', 'rotateAfter', 'scope', 'template'],
  members: ['role'],
  mailexpectations: [],
  inboxes: ['addressPrefix', 'secretName'],
};
export const plurals = Object.keys(optionalFields);
export const definitionFiles = plurals.flatMap((plural) => ['-f', `crds/${nameOfDefinition(plural)}.yaml`]);

/** Reads a definition as it is in the API server. */
export const readDefinition = async (kubectl: Kubectl, plural: string): Promise<Json> =>
  JSON.parse(
    await kubectl.run('get', 'crd', nameOfDefinition(plural), '-o', 'json', '--show-managed-fields'),
  );

/** Names of the fields of the spec that a definition has. */
export const specFields = ({ spec }: Json): string[] =>
  Object.keys(spec.versions[0].schema.openAPIV3Schema.properties.spec.properties);

/** Takes a definition back to one of an earlier release, without fields of the spec and of the status. */
export async function takeBack(kubectl: Kubectl, plural: string, fields: string[]): Promise<void> {
  const definition = await readDefinition(kubectl, plural);
  const { spec, status } = definition.spec.versions[0].schema.openAPIV3Schema.properties;
  for (const field of fields) delete spec.properties[field];
  // Rules of a spec name its fields.
  delete spec['x-kubernetes-validations'];
  for (const field of ['applied', 'scope', 'expiresAt']) delete status.properties[field];
  const { versions } = definition.spec;
  await kubectl.run(
    ...['patch', 'crd', nameOfDefinition(plural), '--type=merge', '--field-manager=earlier-release'],
    ...['-p', JSON.stringify({ spec: { versions } })],
  );
}

/** Installs the definitions of this release, again where they are there. Waits until the API server serves them. */
export async function bringForward(kubectl: Kubectl): Promise<void> {
  await kubectl.run('apply', '--server-side', '--force-conflicts', ...definitionFiles);
  // kubectl ends with an error if a definition has no conditions yet.
  const established = ['wait', '--for=condition=Established', '--timeout=1s', ...definitionFiles];
  await until(async () => (await kubectl.try(established)).code === 0);
}
